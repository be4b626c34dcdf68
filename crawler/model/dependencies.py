"""Repositories that a project declares and takes headers from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DEPENDENCY_FOLDER: Final = ".kernelset/dependencies"
"""Where their headers lie in a checkout."""
ADDRESS_REFUSED: Final = "address-refused"
"""The problem of a repository on a host that no setting names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """A repository that a project declares and does not hold, and what came of it."""

    name: str
    url: str
    """Where it is declared to be, without credentials."""
    ref: str = ""
    """As declared: a tag, branch or commit; empty for the default branch."""
    commit: str = ""
    """Empty where it could not be had."""
    licence: str = ""
    """SPDX expression of the repository as a whole."""
    problem: str = ""
    """Why it could not be had: a stable code."""

    @property
    def folder(self) -> str:
        """Return where its headers lie, relative to the checkout."""
        return f"{DEPENDENCY_FOLDER}/{self.name}@{self.commit}"

    def explain(self) -> str:
        """Return why it could not be had, and what to do about it; empty where it could."""
        if not self.problem:
            return ""

        place = f"{self.name}, which the project declares at {self.url}"
        if self.problem == ADDRESS_REFUSED:
            return f"{place}: allow its host by the setting dependency_hosts"

        return (
            f"{place} and which could not be had ({self.problem}): put it into the "
            "project's folder, or see to the network and crawl again"
        )
