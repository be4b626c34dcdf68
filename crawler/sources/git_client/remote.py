"""Parse git locators."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from crawler.errors import NotFound

_URL: Final = re.compile(
    r"(?:git\+)?(?P<scheme>[a-z]+)://(?P<place>[^/]*)(?P<path>/.*)"
)
_SCP: Final = re.compile(
    r"(?P<place>[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*):(?P<path>[^:-].*)", re.ASCII
)
_BARE: Final = ("https://", "http://", "ssh://", "git://")
_HOST: Final = r"(?:[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
_PLACES: Final = {
    "https": re.compile(_HOST),
    "http": re.compile(_HOST),
    "git": re.compile(_HOST),
    "ssh": re.compile(rf"(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?{_HOST}"),
    "file": re.compile(""),
}
# what git itself takes for the name of a ref, and none that an option could be mistaken for
_REF: Final = re.compile(
    r"(?![-/.])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))(?!@$)[^\x00-\x20\x7f~^:?*\[\\]{1,255}(?<![/.])"
)
_LONGEST: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A repository that git can reach, and the ref that was asked for."""

    url: str
    """As git takes it, without credentials and without the ref."""
    protocol: str
    """The only one that git may use: `https`, `http`, `ssh`, `git` or `file`."""
    owner: str
    """`group/subgroup`; empty where the path has no folders, and for files."""
    name: str
    ref: str
    """A branch, tag or commit; empty for the default branch."""


def is_git_locator(locator: str) -> bool:
    """Tell whether the locator is written as one for git."""
    return locator.startswith(("git+", *_BARE)) or _SCP.fullmatch(locator) is not None


def parse_git_locator(locator: str) -> Remote:
    """Take a locator apart; raises `NotFound` (`bad-locator`) where it could not name a
    repository.

    The ref follows the first `@` of the path; an `@` that belongs to the path is written `%40`.
    """
    match = _URL.fullmatch(locator) or _SCP.fullmatch(locator)
    if match is None or len(locator) > _LONGEST:
        raise _bad("is no git locator")
    scheme = match.groupdict().get("scheme", "")
    protocol = scheme or "ssh"
    if protocol not in _PLACES or (
        protocol == "file" and not locator.startswith("git+")
    ):
        raise _bad(f"wants the protocol {protocol}, which is not used")
    place, (path, _, ref) = match["place"], match["path"].partition("@")
    if not _PLACES[protocol].fullmatch(place):
        raise _bad("has no usable host")
    if (ref and not _REF.fullmatch(ref)) or match["path"].endswith("@"):
        raise _bad("asks for what cannot be a branch, a tag or a commit")
    owner, name = _names(path)
    url = f"{scheme}://{place}{path}" if scheme else f"{place}:{path}"
    return Remote(
        url=url,
        protocol=protocol,
        owner="" if protocol == "file" else owner,
        name=name,
        ref=ref,
    )


def _names(path: str) -> tuple[str, str]:
    parts = [part for part in unquote(path).split("/") if part]
    if parts and parts[-1] == ".git":
        parts.pop()
    printable = all(part.isprintable() and part not in (".", "..") for part in parts)
    name = parts[-1].removesuffix(".git") if parts else ""
    if not name or not printable or "?" in path or "#" in path:
        raise _bad("has no usable path")
    return "/".join(parts[:-1]), name


def _bad(why: str) -> NotFound:
    return NotFound(
        f"the locator {why}: write it like git+https://HOST/OWNER/NAME@REF or git+file:///FOLDER",
        code="bad-locator",
    )
