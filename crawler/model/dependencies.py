"""Repositories and packages that a project takes headers from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

DEPENDENCY_FOLDER: Final = ".kernelset/dependencies"
"""Where their headers lie in a checkout."""
ADDRESS_REFUSED: Final = "address-refused"
"""The problem of a repository on a host that no setting names."""
DEBIAN_SCHEME: Final = "debian:"
"""What the address of a package begins with."""
# an id of a commit, not a tag: what may be shown short
_FULL_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")
_SHORT_COMMIT_CHARS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """A repository that a project declares and does not hold, or a package that has headers for
    it, and what came of it.
    """

    name: str
    url: str
    """Where it is declared to be, without credentials; `debian:NAME` of a package."""
    ref: str = ""
    """As declared: a tag, branch or commit; empty for the default branch."""
    commit: str = ""
    """Or the version of a package; empty where it could not be had."""
    licence: str = ""
    """SPDX expression of the repository as a whole."""
    problem: str = ""
    """Why it could not be had: a stable code."""

    @property
    def folder(self) -> str:
        """Return where its headers lie, relative to the checkout."""
        return f"{DEPENDENCY_FOLDER}/{self.name}@{self.commit}"

    @property
    def short_commit(self) -> str:
        """Return the commit as people write it, or the version of a package."""
        is_commit = _FULL_COMMIT.fullmatch(self.commit) is not None
        return self.commit[:_SHORT_COMMIT_CHARS] if is_commit else self.commit

    def explain(self) -> str:
        """Return why it could not be had, and what to do about it; empty where it could."""
        if not self.problem:
            return ""

        if self.url.startswith(DEBIAN_SCHEME):
            return (
                f"Debian's {self.name}, which could not be had ({self.problem}): put its "
                "headers into the project's folder, or see to apt and crawl again"
            )

        place = f"{self.name}, which the project declares at {self.url}"
        if self.problem == ADDRESS_REFUSED:
            return f"{place}: allow its host by the setting dependency_hosts"

        return (
            f"{place} and which could not be had ({self.problem}): put it into the "
            "project's folder, or see to the network and crawl again"
        )
