"""Interfaces of the blob store, the kernel index and the memory of sources, with the rows that
they return.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from crawler.model import Build, Kernel, KernelRecord, KernelUnit, Repo, Run, Suite


class BlobStore(Protocol):
    """Content-addressed bytes; a key is the sha256 of the content, in hexadecimal."""

    def put(self, content: bytes) -> str:
        """Store `content` and return its digest; storing twice changes nothing.

        The bytes are durable before this returns. Raises `DiskFull`.
        """
        ...

    def put_many(self, contents: Iterable[bytes]) -> tuple[str, ...]:
        """Store each and return their digests in order; small ones share a pack."""
        ...

    def get(self, digest: str) -> bytes:
        """Return the content, its digest checked; raises `KeyError` if there is none,
        `CorruptBlob` if it changed.
        """
        ...

    def get_many(self, digests: Sequence[str]) -> tuple[bytes, ...]:
        """Return the contents in the order of `digests`, as `get` does but in one look; raises
        as that does.
        """
        ...

    def has(self, digest: str) -> bool:
        """Tell whether the content is there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRow:
    """A row of `kernelset query`: one kernel definition at one place."""

    digest: str
    """Of its unit in the source's dialect; empty without a unit."""
    name: str
    qualified_name: str
    repo: str
    """`mmcv`, or `owner/name`."""
    url: str
    """Where it was fetched from, without credentials."""
    commit: str
    path: str
    line: int
    end_line: int
    dialect: str
    found_by: str
    reason: str
    flags_origin: str
    is_template: bool
    superseded: bool
    """Whether its repository has a newer commit for the same ref, or is gone: a tombstone."""
    instantiations: tuple[str, ...]
    """Labels."""
    launches: int
    licence: str
    licence_class: str
    cluster: str
    tags: tuple[str, ...]
    ports: tuple[str, ...]
    """Digests of the units that were ported from this one."""
    waves: tuple[str, ...]
    """On which widths of a wave they mean the same, in the same order; nothing for a port that
    does not tell.
    """
    pass_call: dict[str, str]
    """Target, such as `sm_80` or `gfx90a`, to status."""
    pass_exe: dict[str, str]
    """Device, such as `cpu` or `rocm:gfx942`, to status: of the unit, or of its port where only
    that ran there.
    """
    pass_perf: dict[str, str]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How much there is, counted."""

    files: int
    """With a kernel in them; of each commit its own."""
    by_layer: dict[str, int]
    """`found_by` to kernels."""
    units: int
    """Distinct ones, in their source's dialect."""
    ported: int
    """Distinct units that have a port."""
    classified: int
    """Of those, units whose port has something in its way: a yield without their share says
    little.
    """
    compiled: dict[str, dict[str, int]]
    """Target to status to distinct units, by the newest build of the unit or of its port."""
    ran: dict[str, dict[str, int]]
    """Device to status to distinct units, as rows show it."""
    reasons: dict[str, int]
    """Each code of a row's `reasons` to kernels."""


class KernelIndex(Protocol):
    """Everything that one asks about. Every write is idempotent and one transaction."""

    def put_commit(
        self, repo: Repo, snapshot: str, database: str, *, task: int = 0
    ) -> None:
        """Record a commit with the digests of its stored sources and compile database; an empty
        one changes nothing.

        `task` is the ledger's id of the task that found the commit: it is how `query` knows the
        kernels of a crawl.
        """
        ...

    def repos(self) -> tuple[Repo, ...]:
        """Return every commit that is here, by source, owner, name and commit."""
        ...

    def supersede(self, repo: Repo) -> None:
        """Mark the kernels of every other commit of the same repository and ref; of all, where
        `repo` has none.
        """
        ...

    def reinstate(self, repo: Repo) -> None:
        """Let a superseded commit that is the newest again count, and no other of its ref; else
        change nothing.
        """
        ...

    def rename(self, old: Repo, new: Repo) -> None:
        """Give every commit of the repository that was called as `old` is the owner, name and
        address of `new`.

        Where a commit is known under both, that of `new` stays.
        """
        ...

    def put_kernels(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Make these the kernels of the commit, with their units; what was there before and is
        not now goes.

        Those of other commits of the same repository and ref are superseded.
        """
        ...

    def units(self, repo: Repo) -> Iterator[KernelUnit]:
        """Yield the distinct units of the commit, ports included, ordered by digest."""
        ...

    def put_ports(self, ported: Iterable[KernelUnit]) -> None:
        """Make these the ports of the units that `ported_from` names; a unit without one is
        passed over.

        Raises `KeyError` where it names a unit that was never put.
        """
        ...

    def put_builds(self, builds: Iterable[Build]) -> None:
        """Store builds; a newer one of the same (unit, target, toolchain) replaces the older.

        Rows and records show the newest of each (unit, target), by whatever toolchain.
        """
        ...

    def put_runs(self, runs: Iterable[Run], suites: Iterable[Suite] = ()) -> None:
        """Store runs and the suites that they name; a newer run of the same unit, device,
        details and toolchain
        replaces the older.

        Rows and records show the newest of each (unit, device), by whatever toolchain and on
        whatever model. The bytes
        of a suite lie in the blob store under their digests. Raises `KeyError` where a run
        names a suite that was never
        put.
        """
        ...

    def query(
        self, expression: str = "", *, crawl: str = "", limit: int = 0
    ) -> Iterator[KernelRow]:
        """Yield matching rows by keyset paging, ordered by (repo, commit, path, offset).

        Raises `BadQuery` (a `Misconfigured`) that says where the expression is wrong.
        """
        ...

    def records(
        self, expression: str = "", *, crawl: str = ""
    ) -> Iterator[KernelRecord]:
        """Yield the whole records of the same kernels in the same order."""
        ...

    def totals(self, *, crawl: str = "") -> Totals:
        """Count the kernels of a crawl, or of all."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRepository:
    """A repository as its owner's listing showed it last."""

    repo: Repo
    state: str
    """`wanted`, `passed-over` or `vanished`."""
    reason: str
    """Why it was passed over: a stable slug."""
    seen_at: float
    """Seconds since 1970."""
    vanished_at: float
    """0 for one that is there."""


class SourceMemory(Protocol):
    """What was seen at the hosts of repositories; also the `Memory` of a source."""

    def recall(self, key: str) -> bytes | None:
        """Return what was remembered last, `None` for nothing."""
        ...

    def remember(self, key: str, value: bytes) -> None:
        """Remember `value` in place of what was there."""
        ...

    def remember_all(self, pairs: Iterable[tuple[str, bytes]]) -> None:
        """Remember each (key, value), all in one transaction."""
        ...

    def put_listing(
        self,
        source: str,
        owner: str,
        wanted: Iterable[Repo],
        passed_over: Iterable[tuple[Repo, str]],
    ) -> int:
        """Record all that an owner has, and return how many vanished since: they keep a
        tombstone.

        A repository is known by its id, so a new name is written over the old one.
        """
        ...

    def find_renamed(self, repos: Iterable[Repo]) -> tuple[tuple[Repo, Repo], ...]:
        """Return (as it was seen last, as it is now) of those that go by another owner or name
        than before.
        """
        ...

    def listed_repositories(
        self, owner: str = "", state: str = ""
    ) -> tuple[ListedRepository, ...]:
        """Return what listings showed, by source, owner and name; all owners', or all states,
        without one.
        """
        ...
