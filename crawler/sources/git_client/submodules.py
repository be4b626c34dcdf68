"""Read the submodules of a commit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

# `[submodule "third_party/cub"]`
_SECTION: Final = re.compile(r'\s*\[submodule\s+"(?P<name>(?:[^"\\]|\\.)*)"\]\s*')
_SETTING: Final = re.compile(r"\s*(?P<key>path|url)\s*=(?P<value>.*)", re.IGNORECASE)
_SSH_ADDRESS: Final = re.compile(
    r"(?:ssh://)?[\w.-]+@(?P<host>[A-Za-z0-9][\w.-]*)[:/](?P<path>[^:]+)", re.ASCII
)
_MAX_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Submodule:
    """A repository that another one has in one of its folders."""

    path: str
    commit: str
    url: str
    """Absolute; empty where `.gitmodules` has none that may be used."""

    def __str__(self) -> str:
        return f"{self.path}@{self.commit}"


def read_submodules(
    commit_by_path: Mapping[str, str], gitmodules: bytes, origin: str
) -> tuple[Submodule, ...]:
    """Return the submodules of a tree, ordered by path.

    `gitmodules` is the content of the file `.gitmodules`, and `origin` the address that its
    relative addresses begin at, as gitmodules(5) says.
    """
    lines = gitmodules[:_MAX_BYTES].decode("utf-8", "replace").splitlines()
    url_by_path = dict(_iter_sections(lines))

    return tuple(
        Submodule(
            path=path,
            commit=commit,
            url=_make_absolute(url_by_path.get(path, ""), origin),
        )
        for path, commit in sorted(commit_by_path.items())
    )


def read_addresses(gitmodules: bytes) -> tuple[tuple[str, str], ...]:
    """Return the folder and the address of each submodule that has an address of its own."""
    lines = gitmodules[:_MAX_BYTES].decode("utf-8", "replace").splitlines()
    return tuple(
        (path, url if url.startswith("http://") else _make_absolute(url, ""))
        for path, url in _iter_sections(lines)
    )


def _iter_sections(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the address of each section of `.gitmodules`."""
    settings: dict[str, str] = {}
    # One more section ends the last one.
    for line in [*lines, '[submodule ""]']:
        if _SECTION.fullmatch(line):
            if "path" in settings:
                yield settings["path"].rstrip("/"), settings.get("url", "")
            settings = {}
            continue

        setting = _SETTING.fullmatch(line)
        if setting is not None:
            settings[setting["key"].lower()] = setting["value"].strip().strip('"')


def _make_absolute(url: str, origin: str) -> str:
    """Return an address over HTTPS, or plain HTTP where the origin is; empty for any other.

    A submodule may neither name a file of this machine nor use a key of its user, and no sign
    in its address, however it is written, may end a line of what git tells its helpers.
    """
    ssh_address = _SSH_ADDRESS.fullmatch(url)

    if url.startswith(("./", "../")):
        has_url = "://" in origin
        url = urljoin(f"{origin.removesuffix('/')}/", url) if has_url else ""
    elif ssh_address is not None:
        url = f"https://{ssh_address['host']}/{ssh_address['path']}"

    is_secure = url.startswith("https://")
    is_as_origin = url.startswith("http://") and origin.startswith("http://")
    if (is_secure or is_as_origin) and _has_host(url) and unquote(url).isprintable():
        return url
    return ""


def _has_host(url: str) -> bool:
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        # e.g. a bracket that nothing closes
        return False
