"""Parse git locators."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from crawler.errors import NotFound

# `git+https://host/path.git`
_URL: Final = re.compile(
    r"(?:git\+)?(?P<scheme>[a-z]+)://(?P<place>[^/]*)(?P<path>/.*)"
)
# ssh's short form: `git@example.org:owner/name.git`.
_SCP_ADDRESS: Final = re.compile(
    r"(?P<place>[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*):(?P<path>[^:-].*)", re.ASCII
)
_BARE_SCHEMES: Final = ("https://", "http://", "ssh://", "git://")
_HOST: Final = r"(?:[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
# Protocols, and what may stand between `://` and the path.
_PLACE_BY_PROTOCOL: Final = {
    "https": re.compile(_HOST),
    "http": re.compile(_HOST),
    "git": re.compile(_HOST),
    "ssh": re.compile(rf"(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?{_HOST}"),
    "file": re.compile(""),
}
# What git-check-ref-format(1) accepts as the name of a ref, but for names that could be
# mistaken for an option.
_REF: Final = re.compile(
    r"(?![-/.])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))(?!@$)"
    r"[^\x00-\x20\x7f~^:?*\[\\]{1,255}(?<![/.])"
)
_MAX_LENGTH: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A repository that git can reach, and the ref that was requested."""

    url: str
    """As git takes it, without credentials and without the ref."""
    protocol: str
    """The only one that git may use: `https`, `http`, `ssh`, `git` or `file`."""
    owner: str
    """`group/subgroup`; empty where the path has no folders, and for files."""
    name: str
    ref: str
    """A branch, tag or commit; empty for the default branch."""
    is_declared: bool = False
    """A project names it, and no user: nothing of the operator's may be used for it."""


def is_git_locator(locator: str) -> bool:
    """Tell whether the locator is written as one for git."""
    if locator.startswith(("git+", *_BARE_SCHEMES)):
        return True
    return _SCP_ADDRESS.fullmatch(locator) is not None


def parse_git_locator(locator: str) -> Remote:
    """Parse a locator; raises `NotFound` (`bad-locator`) where it can name no repository.

    The ref follows the first `@` of the path; an `@` that belongs to the path is written `%40`.
    """
    match = _URL.fullmatch(locator) or _SCP_ADDRESS.fullmatch(locator)
    if match is None or len(locator) > _MAX_LENGTH:
        raise _make_error("is no git locator")

    scheme = match.groupdict().get("scheme", "")
    protocol = scheme or "ssh"
    # A plain `file://` is left to the source for local folders.
    is_plain_file = protocol == "file" and not locator.startswith("git+")
    if protocol not in _PLACE_BY_PROTOCOL or is_plain_file:
        raise _make_error(f"wants the protocol {protocol}, which is not used")

    place = match["place"]
    if not _PLACE_BY_PROTOCOL[protocol].fullmatch(place):
        raise _make_error("has no usable host")

    path, _, ref = match["path"].partition("@")
    is_bad_ref = bool(ref) and not _REF.fullmatch(ref)
    if is_bad_ref or match["path"].endswith("@"):
        raise _make_error("asks for what cannot be a branch, a tag or a commit")

    owner, name = _parse_owner_and_name(path)

    return Remote(
        url=f"{scheme}://{place}{path}" if scheme else f"{place}:{path}",
        protocol=protocol,
        owner="" if protocol == "file" else owner,
        name=name,
        ref=ref,
    )


def _parse_owner_and_name(path: str) -> tuple[str, str]:
    # `%2e%2e` is a part that leaves its folder, too.
    parts = [part for part in unquote(path).split("/") if part]
    # A work tree's repository: `/home/me/project/.git`.
    if parts and parts[-1] == ".git":
        parts.pop()

    name = parts[-1].removesuffix(".git") if parts else ""
    has_odd_part = any(not part.isprintable() or part in (".", "..") for part in parts)
    if not name or has_odd_part or "?" in path or "#" in path:
        raise _make_error("has no usable path")
    return "/".join(parts[:-1]), name


def _make_error(reason: str) -> NotFound:
    return NotFound(
        f"the locator {reason}: write it like git+https://HOST/OWNER/NAME@REF "
        "or git+file:///FOLDER",
        code="bad-locator",
    )
