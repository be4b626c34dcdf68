"""Opt-out list: owners, repositories, addresses and digests excluded from the dataset."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from crawler.errors import Misconfigured, OptedOut
from crawler.model import Repo

_NAMED: Final = re.compile(
    r"(?P<source>[a-z]+):(?P<owner>[\w.-]+)(?:/(?P<name>[\w.-]+))?", re.ASCII
)
_NUMBERED: Final = re.compile(r"(?P<source>[a-z]+):#(?P<id>[0-9]{1,20})")
_ADDRESS: Final = re.compile(r"[a-z+]+://[^\s]+")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class OptOuts:
    """What is left out; names are compared in any case."""

    repository_names: frozenset[tuple[str, str]] = frozenset()
    """(source, `owner` or `owner/name`, or the name where the source has no owners), in lower
    case.
    """
    repository_ids: frozenset[tuple[str, str]] = frozenset()
    """(source, the host's own number of a repository)."""
    addresses: frozenset[str] = frozenset()
    """`host/path` that an address begins with, up to the end of a part."""
    digests: frozenset[str] = frozenset()
    """Of units or of pinned contents, in hexadecimal."""

    def covers_repository(self, repo: Repo) -> bool:
        """Tell whether a repository is left out, at whatever commit, or at this one by its
        digest.
        """
        names = (
            (repo.owner, f"{repo.owner}/{repo.name}") if repo.owner else (repo.name,)
        )
        by_name = any(
            (repo.source, name.lower()) in self.repository_names for name in names
        )
        parts = _place(repo.url).split("/")
        by_address = any(
            "/".join(parts[:end]) in self.addresses for end in range(1, len(parts) + 1)
        )
        by_digest = repo.commit.removeprefix("sha256:") in self.digests
        return (
            by_name
            or (repo.source, repo.id) in self.repository_ids
            or by_address
            or by_digest
        )

    def covers_unit(self, digest: str) -> bool:
        """Tell whether the kernel unit of this digest is left out."""
        return digest in self.digests

    def reject_if_covered(self, repo: Repo) -> None:
        """Raise `OptedOut` for a repository that is left out."""
        if self.covers_repository(repo):
            name = f"{repo.owner}/{repo.name}".strip("/")
            raise OptedOut(
                f"{name} is on the list of opt-outs: nothing of it is taken; `optouts` names that list"
            )


def read_optouts(file: Path | None) -> OptOuts:
    """Return the opt-outs of a file, one a line, `#` for comments; raises `Misconfigured` for a
    line that is none.

    Lines are `github:OWNER`, `github:OWNER/REPO`, `github:#NUMBER`, `pypi:NAME`, an address, or
    `sha256:DIGEST`.
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
    """Return the opt-outs of these lines; raises `Misconfigured`: what is not understood must
    not be passed over.
    """
    named, numbered, addresses, digests = set(), set(), set(), set()
    for number, line in enumerate(lines, 1):
        entry = line.partition(" #")[0].strip()
        if not entry or entry.startswith("#"):
            continue
        if _DIGEST.fullmatch(entry.lower()):
            digests.add(entry.lower().removeprefix("sha256:"))
        elif match := _NUMBERED.fullmatch(entry):
            numbered.add((match["source"], match["id"]))
        elif match := _NAMED.fullmatch(entry):
            named.add((match["source"], entry.partition(":")[2].lower()))
        elif _ADDRESS.fullmatch(entry):
            addresses.add(_place(entry))
        else:
            raise Misconfigured(
                f"line {number} of the opt-outs, `{entry[:80]}`, is none: write github:OWNER, github:OWNER/REPO, "
                "an address, or sha256:DIGEST",
                code="bad-optouts",
            )
    return OptOuts(
        frozenset(named), frozenset(numbered), frozenset(addresses), frozenset(digests)
    )


def _place(url: str) -> str:
    found = urlsplit(url.removeprefix("git+"))
    return (
        f"{(found.hostname or '')}{found.path}".lower().rstrip("/").removesuffix(".git")
    )
