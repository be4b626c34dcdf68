"""Options of a source: limits, filters, credentials and remembered server answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from crawler.model import Repo
from crawler.optouts import OptOuts

GITHUB_API_URL: Final = "https://api.github.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on what is fetched and unpacked."""

    download_bytes: int = 512 << 20
    unpacked_bytes: int = 4 << 30
    file_bytes: int = 256 << 20
    files: int = 200_000
    seconds: float = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFilter:
    """Which of an owner's repositories are visited.

    Each repository that is not visited is recorded with the reason.
    """

    forks: bool = False
    archived: bool = True
    templates: bool = True
    languages: tuple[str, ...] = ()
    """The main language as the host names it, in any case; empty for all."""
    licences: tuple[str, ...] = ()
    """SPDX ids as the host found them; empty for all."""
    topics: tuple[str, ...] = ()
    """At least one of them; empty for all."""
    min_stars: int = 0
    max_kilobytes: int = 0
    """By the host's own count; 0 for no bound."""
    pushed_since: str = ""
    """ISO 8601 date or time in UTC; empty for all."""


class AnswerMemory(Protocol):
    """Answers of a server, and until when it asked to be left alone, kept between visits."""

    def recall(self, key: str) -> bytes | None:
        """Return the value that was remembered last, `None` where there is none."""
        ...

    def remember(self, key: str, value: bytes) -> None:
        """Remember `value` in place of an earlier one."""
        ...


class InMemoryAnswers:
    """A memory that lasts as long as its holder."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    def recall(self, key: str) -> bytes | None:
        """Return the value that was remembered last, `None` where there is none."""
        return self._values.get(key)

    def remember(self, key: str, value: bytes) -> None:
        """Remember `value` in place of an earlier one."""
        self._values[key] = value


def _ignore_skipped(repo: Repo, reason: str) -> None:
    """Do nothing: nobody wants to know what is skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """Everything that a source may need to know of its caller."""

    limits: Limits = Limits()
    wanted: RepositoryFilter = RepositoryFilter()
    github: str = GITHUB_API_URL
    """Address of the REST API: GitHub's own, or `https://HOST/api/v3` of an Enterprise server."""
    github_tokens: Path | None = None
    """A file with a token a line; without one, questions are asked anonymously."""
    optouts: OptOuts = field(default_factory=OptOuts)
    submodules: bool = False
    """Whether submodules are fetched too, for what a repository's files include of them."""
    dependency_hosts: tuple[str, ...] = ()
    """Hosts that are asked for headers of repositories which a project declares; empty for none."""
    debian_headers: bool = False
    """Whether Debian's packages are asked for headers that no such repository has."""
    memory: AnswerMemory = field(default_factory=InMemoryAnswers)
    report_skipped: Callable[[Repo, str], None] = _ignore_skipped
    """Called for each repository that the filter leaves out, with a stable slug."""
