"""Interfaces of the blob store and the kernel index, and their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from storage.kernel_counts import StepTotals, Totals, ValueCount

if TYPE_CHECKING:
    from crawler.model import Build, Kernel, KernelRecord, KernelUnit, Repo, Run, Suite
    from crawler.similarity.repository_families import RepositoryCluster


class BlobStore(Protocol):
    """Content-addressed bytes; a key is the sha256 of the content, in hexadecimal."""

    def put(self, content: bytes) -> str:
        """Store `content` and return its digest; storing twice changes nothing.

        The bytes are durable before this returns. Raises `DiskFull`.
        """
        ...

    def put_many(self, contents: Iterable[bytes]) -> tuple[str, ...]:
        """Store each of `contents` and return their digests in order; small ones share a pack."""
        ...

    def get(self, digest: str) -> bytes:
        """Return the content, whose digest is verified.

        Raises `KeyError` if there is none, `CorruptBlob` if it changed.
        """
        ...

    def get_many(self, digests: Sequence[str]) -> tuple[bytes, ...]:
        """Return the contents in the order of `digests`, located by one query.

        Raises as `get` does.
        """
        ...

    def has(self, digest: str) -> bool:
        """Return whether the content is there."""
        ...


class Place(NamedTuple):
    """Where a kernel stands, as rows are ordered; after it begins the next page."""

    repo: str
    commit: str
    path: str
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRow:
    """A row of `kernelset query`: one kernel definition at one place of one commit."""

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
    offset: int
    """Of its first character in the file."""
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
    near_cluster: str
    """What kernels share whose own texts are nearly the same; empty for one without a text."""
    tags: tuple[str, ...]
    operators: tuple[str, ...]
    """Names by which Python code reaches it."""
    ports: tuple[str, ...]
    """Digests of the units that were ported from this one."""
    waves: tuple[str, ...]
    """Wave widths on which the ports behave the same, in the order of `ports`; a port for which
    that is unknown has none.
    """
    pass_call: dict[str, str]
    """Target, such as `sm_80` or `gfx90a`, to status."""
    fidelity: dict[str, str]
    """Target to how the unit's code agrees with that of its whole translation unit."""
    pass_exe: dict[str, str]
    """Device, such as `cpu` or `rocm:gfx942`, to status: of the unit, or of its port where only
    that ran there. It is that of one instantiation.
    """
    instantiation_exe: dict[str, dict[str, str]]
    """Device to label to status, `not-run` for an instantiation that nobody ran there; the label
    is empty for a plain kernel.
    """
    extents: dict[str, str]
    """Device to where the sizes of memory come from: `launcher`, `inferred` or `unproven`; of the
    same run.
    """
    oracle: dict[str, str]
    """Device to who judged the same run: `cpu_simt`, the kernel itself; `project_cpu`,
    `project_program`, `project_tests` or `library`.
    """
    strength: dict[str, str]
    """Device to `strong`, `weak` or `unmeasured`: how much the cases of the same run can tell."""
    mutants_killed: dict[str, float]
    """Device to the share of mutants that those cases tell; without a device where nobody
    looked.
    """
    pass_perf: dict[str, str]
    """Device to status, empty where no time was measured."""
    reasons: tuple[str, ...]
    """Stable codes of what is wrong with it."""
    review: str
    """What people came to: `unreviewed`, `accepted`, `rejected`, `needs-work` or `disputed`."""


class KernelIndex(Protocol):
    """The index of everything that is queried. A write is idempotent and one transaction."""

    def put_commit(
        self, repo: Repo, snapshot: str, database: str, *, task: int = 0
    ) -> None:
        """Record a commit with the digests of its stored sources and compile database.

        An empty digest changes nothing. `task` is the ledger's id of the task that found the
        commit: by it `query` knows the kernels of a crawl.
        """
        ...

    def repos(self) -> tuple[Repo, ...]:
        """Return every recorded commit, by source, owner, name and commit."""
        ...

    def supersede(self, repo: Repo) -> None:
        """Mark the kernels of every other commit of the same repository and ref.

        Where `repo` has no commit, those of all commits are marked.
        """
        ...

    def reinstate(self, repo: Repo) -> None:
        """Make a superseded commit the newest of its ref again.

        Nothing changes for a commit that is not superseded.
        """
        ...

    def rename(self, old: Repo, new: Repo) -> None:
        """Give every commit of the repository `old` the owner, name and address of `new`.

        A commit that is known under both names stays as `new` has it.
        """
        ...

    def put_kernels(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Replace the kernels of the commit, with their units, by `kernels`.

        Those of other commits of the same repository and ref are superseded.
        """
        ...

    def put_first_units(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Replace those of the commit's kernels that syntax alone has shown by the same ones of
        `kernels`, with their units.

        One is the same by its file, its name and its lines; the others stay as they are.
        """
        ...

    def has_kernels(self, repo: Repo) -> bool:
        """Tell whether a kernel of any commit of the repository is recorded."""
        ...

    def units(self, repo: Repo) -> Iterator[KernelUnit]:
        """Yield the distinct units of the commit, ports included, ordered by digest."""
        ...

    def put_ports(self, ported: Iterable[KernelUnit]) -> None:
        """Replace the ports of the units that `ported_from` names; units without one are skipped.

        Raises `KeyError` where it names a unit that was never put.
        """
        ...

    def put_builds(self, builds: Iterable[Build]) -> None:
        """Store builds; a newer one of the same (unit, target, toolchain) replaces the older.

        Rows and records show the newest of each (unit, target), by whatever toolchain.
        """
        ...

    def put_runs(self, runs: Iterable[Run], suites: Iterable[Suite] = ()) -> None:
        """Store runs and the suites that they name.

        A newer run of the same (unit, device, details, toolchain) replaces the older, and its
        further ones, which follow the run that speaks for their unit in the same call. Rows and
        records show the newest of each (unit, device), by whatever toolchain and on whatever
        model, with those further ones. The contents that a suite names lie in the blob store.
        Raises `KeyError` where a run names a suite that was never put.
        """
        ...

    def group_copies(self) -> int:
        """Find the near copies of kernels that were put since this was last called, and return
        how many distinct texts those have; before that, a text is grouped with equal ones only.
        """
        ...

    def repository_clusters(self) -> Iterator[RepositoryCluster]:
        """Yield each repository with each group of near copies of which it holds one, whatever
        the commit, superseded ones included, in no order.
        """
        ...

    def query(
        self,
        expression: str = "",
        *,
        crawl: str = "",
        limit: int = 0,
        after: Place | None = None,
    ) -> Iterator[KernelRow]:
        """Yield matching rows by keyset paging, ordered by `Place`: those behind `after`.

        Raises `BadQuery` (a `Misconfigured`) that says where the expression is wrong.
        """
        ...

    def records(
        self, expression: str = "", *, crawl: str = "", limit: int = 0
    ) -> Iterator[KernelRecord]:
        """Yield the whole records of the same kernels in the same order; 0 for no limit."""
        ...

    def count_values(
        self, field: str, expression: str = "", *, crawl: str = "", among: int = 0
    ) -> list[ValueCount]:
        """Return how many of the matching kernels have each value of a field, the most frequent
        first, as facets show it.

        `field` is one of the query language, with a target or without: `licence`, `pass_call`,
        `pass_call.sm_80`. A kernel with several values counts for each. `among` looks at so many
        of them at most, the first ones, so that its cost does not grow with the index. Raises
        `BadQuery`.
        """
        ...

    def query_with_facets(
        self,
        fields: Sequence[str],
        expression: str = "",
        *,
        crawl: str = "",
        limit: int,
        among: int,
    ) -> tuple[list[KernelRow], dict[str, list[ValueCount]]]:
        """Return the first `limit` matching rows, none for 0, and what `count_values` returns of
        each of `fields`, at the price of one search.
        """
        rows = list(self.query(expression, crawl=crawl, limit=limit)) if limit else []
        return rows, {
            field: self.count_values(field, expression, crawl=crawl, among=among)
            for field in fields
        }

    def compute_fingerprint(self) -> str:
        """Return a digest that is another one as soon as any row or record is: of all commits,
        kernels, units, ports, builds, runs and groups of near copies.
        """
        ...

    def totals(self, *, crawl: str = "") -> Totals:
        """Count the kernels of a crawl, or of all."""
        ...

    def step_totals(self, *, crawl: str = "") -> StepTotals:
        """Count how many of a crawl, or of all, came through to which step."""
        ...
