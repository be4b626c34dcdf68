"""Decide which declared addresses are asked: only git repositories of hosts that a setting names.

A project may declare any address, such as one of a machine that only this one reaches.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from crawler.errors import NotFound
from crawler.sources.dependencies.interface import DeclaredDependency
from crawler.sources.git_client.remote import Remote, parse_git_locator

# what hosts call the archives that they make of a repository, with its ref
_ARCHIVE_PATH: Final = re.compile(
    r"(?P<path>/[^/]+/[^/]+?)/"
    r"(?:archive/(?:refs/tags/|refs/heads/)?(?P<archive>[^/]+?)\.(?:tar\.\w+|tgz|zip)"
    r"|releases/download/(?P<release>[^/]+)/[^/]+"
    r"|-/archive/(?P<gitlab>[^/]+)/[^/]+)"
)
_REF: Final = re.compile(r"[A-Za-z0-9][\w./+-]{0,200}", re.ASCII)
_QUERY: Final = re.compile(r"[?#].*", re.DOTALL)
_USER_PART: Final = re.compile(r"(?<=://)[^/]*@")
_MAX_SHOWN: Final = 500


def strip_address(url: str) -> str:
    """Return a declared address as it may be stored and printed: without what may be a secret."""
    address = _USER_PART.sub("", _QUERY.sub("", url), count=1)
    return make_printable(address)[:_MAX_SHOWN]


def make_printable(text: str) -> str:
    """Return a text with `?` for all that a terminal may take for a command."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def find_remote(declared: DeclaredDependency, hosts: Collection[str]) -> Remote | None:
    """Return the repository of a declaration, `None` where it may not be asked.

    Over HTTPS alone, by its default port, without credentials, and of the `hosts` alone; plain
    HTTP where a host is named with it.
    """
    try:
        parts = urlsplit(declared.url)
    except ValueError:
        return None

    origin = f"{parts.scheme}://{parts.netloc.lower()}"
    is_allowed = parts.scheme == "https" and parts.netloc.lower() in hosts
    if not is_allowed and (parts.scheme != "http" or origin not in hosts):
        return None
    if parts.query or parts.fragment or "@" in parts.path:
        return None

    path, ref = parts.path.rstrip("/"), declared.ref
    archive = _ARCHIVE_PATH.fullmatch(path)
    if archive is not None:
        path = archive["path"]
        ref = archive["archive"] or archive["release"] or archive["gitlab"]

    if ref and (not _REF.fullmatch(ref) or ".." in ref):
        ref = ""

    try:
        remote = parse_git_locator(f"{origin}{path}{'@' if ref else ''}{ref}")
    except NotFound:
        return None

    return replace(remote, is_declared=True)
