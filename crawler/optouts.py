"""Opt-out list: owners, repositories, addresses and digests excluded from the dataset."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from crawler.errors import Misconfigured, OptedOut
from crawler.model import Repo

_DIGEST_PREFIX: Final = "sha256:"
# one line of the list, by its form
_NAMED_ENTRY: Final = re.compile(
    r"(?P<source>[a-z]+):(?P<owner>[\w.-]+)(?:/(?P<name>[\w.-]+))?", re.ASCII
)
_NUMBERED_ENTRY: Final = re.compile(r"(?P<source>[a-z]+):#(?P<id>[0-9]{1,20})")
_ADDRESS_ENTRY: Final = re.compile(r"[a-z+]+://[^\s]+")
_DIGEST_ENTRY: Final = re.compile(_DIGEST_PREFIX + r"[0-9a-f]{64}")
_MAX_QUOTED_CHARACTERS: Final = 80


@dataclass(frozen=True, slots=True)
class OptOuts:
    """What is excluded; names are compared in any case."""

    repository_names: frozenset[tuple[str, str]] = frozenset()
    """(source, `owner` or `owner/name`, or the name where the source has no owners), in lower
    case.
    """
    repository_ids: frozenset[tuple[str, str]] = frozenset()
    """(source, the host's own number of a repository)."""
    addresses: frozenset[str] = frozenset()
    """`host/path` with which an address begins, up to the end of a path segment."""
    digests: frozenset[str] = frozenset()
    """Of units or of pinned contents, in hexadecimal."""

    def covers_repository(self, repo: Repo) -> bool:
        """Return whether a repository is excluded: at any commit, or this one by its digest."""
        by_name = self._covers_name(repo)
        by_id = (repo.source, repo.id) in self.repository_ids
        by_address = self._covers_address(repo.url)
        by_digest = repo.commit.removeprefix(_DIGEST_PREFIX) in self.digests
        return by_name or by_id or by_address or by_digest

    def _covers_name(self, repo: Repo) -> bool:
        names = [repo.name]
        if repo.owner:
            names = [repo.owner, f"{repo.owner}/{repo.name}"]

        return any(
            (repo.source, name.lower()) in self.repository_names for name in names
        )

    def _covers_address(self, url: str) -> bool:
        segments = _normalize_address(url).split("/")
        ends = range(1, len(segments) + 1)
        return any("/".join(segments[:end]) in self.addresses for end in ends)

    def covers_unit(self, digest: str) -> bool:
        """Return whether the kernel unit of this digest is excluded."""
        return digest in self.digests

    def reject_if_covered(self, repo: Repo) -> None:
        """Raise `OptedOut` for a repository that is excluded."""
        if self.covers_repository(repo):
            name = f"{repo.owner}/{repo.name}".strip("/")
            raise OptedOut(
                f"{name} is on the list of opt-outs: nothing of it is taken;"
                " `optouts` names that list"
            )


@dataclass(slots=True)
class _Entries:
    """The entries of a list that were parsed so far."""

    names: set[tuple[str, str]] = field(default_factory=set)
    ids: set[tuple[str, str]] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    digests: set[str] = field(default_factory=set)

    def add(self, entry: str) -> bool:
        """Add an entry; false for one that is none."""
        if _DIGEST_ENTRY.fullmatch(entry.lower()):
            self.digests.add(entry.lower().removeprefix(_DIGEST_PREFIX))
            return True

        numbered = _NUMBERED_ENTRY.fullmatch(entry)
        if numbered:
            self.ids.add((numbered["source"], numbered["id"]))
            return True

        named = _NAMED_ENTRY.fullmatch(entry)
        if named:
            name = entry.partition(":")[2].lower()
            self.names.add((named["source"], name))
            return True

        address = _normalize_address(entry)
        # an entry without a host, `https:///`, would opt out whatever has no address either
        if _ADDRESS_ENTRY.fullmatch(entry) and address:
            self.addresses.add(address)
            return True

        return False


def read_optouts(file: Path | None) -> OptOuts:
    """Return the opt-outs of a file, one on a line, `#` for comments.

    Lines are `github:OWNER`, `github:OWNER/REPO`, `github:#NUMBER`, `pypi:NAME`, an address, or
    `sha256:DIGEST`. Raises `Misconfigured` for any other line, and for a file that cannot be
    read.
    """
    if file is None:
        return OptOuts()

    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"the opt-outs in {file} cannot be read ({error}): mend `optouts`",
            code="bad-optouts",
        ) from error

    return parse_optouts(lines)


def parse_optouts(lines: Iterable[str]) -> OptOuts:
    """Return the opt-outs of these lines.

    Raises `Misconfigured` for an invalid one: to skip it could publish what somebody opted out.
    """
    entries = _Entries()
    for number, line in enumerate(lines, 1):
        # not at any `#`: `github:#123` is an entry
        entry = line.partition(" #")[0].strip()
        if not entry or entry.startswith("#"):
            continue
        if not entries.add(entry):
            raise Misconfigured(
                f"line {number} of the opt-outs, `{entry[:_MAX_QUOTED_CHARACTERS]}`,"
                " is none: write github:OWNER, github:OWNER/REPO,"
                " an address, or sha256:DIGEST",
                code="bad-optouts",
            )

    return OptOuts(
        repository_names=frozenset(entries.names),
        repository_ids=frozenset(entries.ids),
        addresses=frozenset(entries.addresses),
        digests=frozenset(entries.digests),
    )


def _normalize_address(url: str) -> str:
    """Return `host/path` in lower case, without a scheme, credentials, port or `.git`.

    It is empty for an address that is malformed.
    """
    try:
        parts = urlsplit(url.removeprefix("git+"))
        host = parts.hostname or ""
    except ValueError:
        # for example `https://[`, whose bracket begins an IPv6 address that never ends
        return ""

    return f"{host}{parts.path}".lower().rstrip("/").removesuffix(".git")
