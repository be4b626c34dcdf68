"""Read the submodules of a commit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

_SECTION: Final = re.compile(r'\s*\[submodule\s+"(?P<name>(?:[^"\\]|\\.)*)"\]\s*')
_VALUE: Final = re.compile(
    r"\s*(?P<key>path|url)\s*=\s*(?P<value>.*?)\s*", re.IGNORECASE
)
_SSH: Final = re.compile(
    r"(?:ssh://)?[\w.-]+@(?P<host>[A-Za-z0-9][\w.-]*)[:/](?P<path>[^:]+)", re.ASCII
)
_LARGEST: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Submodule:
    """A repository that another one has in one of its folders."""

    path: str
    commit: str
    url: str
    """Absolute; empty where `.gitmodules` does not tell."""

    def __str__(self) -> str:
        return f"{self.path}@{self.commit}"


def read_submodules(
    commit_by_path: Mapping[str, str], gitmodules: bytes, origin: str
) -> tuple[Submodule, ...]:
    """Return the submodules of a tree, by path.

    `commit_by_path` has the commit of each path; `gitmodules` is the text of the file of that
    name, whose relative addresses
    are meant from `origin`, as gitmodules(5) says.
    """
    urls = dict(_told(gitmodules[:_LARGEST].decode("utf-8", "replace").splitlines()))
    return tuple(
        Submodule(path=path, commit=commit, url=_absolute(urls.get(path, ""), origin))
        for path, commit in sorted(commit_by_path.items())
    )


def _told(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    section: dict[str, str] = {}
    for line in [*lines, '[submodule ""]']:
        if _SECTION.fullmatch(line):
            if "path" in section:
                yield section["path"].rstrip("/"), section.get("url", "")
            section = {}
        elif found := _VALUE.fullmatch(line):
            section[found["key"].lower()] = found["value"].strip('"')


def _absolute(url: str, origin: str) -> str:
    """Return an address over HTTPS, or plain HTTP where the origin is: no file and no key of
    ours.
    """
    if url.startswith(("./", "../")):
        url = urljoin(f"{origin.removesuffix('/')}/", url) if "://" in origin else ""
    elif match := _SSH.fullmatch(url):
        url = f"https://{match['host']}/{match['path']}"
    allowed = ("https://", "http://") if origin.startswith("http://") else ("https://",)
    return url if url.startswith(allowed) else ""
