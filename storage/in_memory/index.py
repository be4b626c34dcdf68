"""The kernel index in memory."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from itertools import islice

from crawler.model import (
    Build,
    Kernel,
    KernelRecord,
    KernelUnit,
    Provenance,
    Repo,
    Run,
    Suite,
)
from crawler.similarity.repository_families import RepositoryCluster
from storage.in_memory.commits import (
    Commit,
    CommitKey,
    commit_key,
    list_unit_digests,
    place_of,
    rename_commits,
    replace_first_units,
    select_commits,
)
from storage.in_memory.near_copies import NearCopies
from storage.in_memory.reviews import InMemoryReviewBook
from storage.in_memory.verdicts import InMemoryVerdicts
from storage.in_memory.views import (
    count_rows,
    digest_values,
    list_reasons,
    make_row,
    place_in,
    select_steps,
)
from storage.index.kernel_rows.text_words import join_words
from storage.index.query.conditions import Condition
from storage.index.query.parser import parse_field, parse_query
from storage.index.query.row_matching import count_row_values, matches
from storage.interfaces import KernelIndex, KernelRow, Place
from storage.kernel_counts import StepTotals, Totals, ValueCount


class InMemoryKernelIndex(KernelIndex):
    """A `KernelIndex` in dictionaries; `tasks_of` returns the tasks of a crawl."""

    def __init__(
        self, tasks_of: Callable[[str], Container[int]] = lambda crawl: ()
    ) -> None:
        self._tasks_of = tasks_of
        self._commits: dict[CommitKey, Commit] = {}
        self._units: set[str] = set()
        self._ports: dict[str, dict[str, KernelUnit]] = {}
        self._near_copies = NearCopies()
        self.reviews = InMemoryReviewBook(self._units)
        self._verdicts = InMemoryVerdicts()

    def put_commit(
        self, repo: Repo, snapshot: str, database: str, *, task: int = 0
    ) -> None:
        """Record a commit; an empty digest changes nothing."""
        commit = self._ensure_commit(repo)
        commit.repo = repo
        commit.snapshot = snapshot or commit.snapshot
        commit.database = database or commit.database
        if task:
            commit.tasks.add(task)

    def repos(self) -> tuple[Repo, ...]:
        """Return every recorded commit, by source, owner, name and commit."""
        return tuple(self._commits[key].repo for key in sorted(self._commits))

    def supersede(self, repo: Repo) -> None:
        """Mark the kernels of every other commit of the same repository and ref."""
        repository = repo.source, repo.owner, repo.name

        for (*commit_repository, pinned), commit in self._commits.items():
            if tuple(commit_repository) != repository:
                continue
            if pinned == repo.commit:
                continue

            # without a commit, `repo` means all refs
            is_same_ref = commit.repo.ref == repo.ref
            if is_same_ref or not repo.commit:
                commit.superseded = True

    def reinstate(self, repo: Repo) -> None:
        """Make a superseded commit the newest of its ref again."""
        key = commit_key(repo)
        commit = self._commits.get(key)
        if commit is None or not commit.kernels:
            return

        if commit.superseded:
            commit.superseded = False
            self.supersede(repo)

    def rename(self, old: Repo, new: Repo) -> None:
        """Give every commit of a repository another owner, name and address."""
        rename_commits(self._commits, old, new)

    def put_kernels(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Replace the kernels of the commit, with their units, by `kernels`."""
        commit = self._ensure_commit(repo)
        commit.kernels = list(kernels)
        commit.superseded = False
        self.supersede(repo)
        self._units |= list_unit_digests(commit.kernels)

    def put_first_units(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Replace kernels that syntax alone has shown by the same ones of `kernels`."""
        new_kernels = replace_first_units(self._ensure_commit(repo), kernels)
        self._units |= list_unit_digests(new_kernels)

    def has_kernels(self, repo: Repo) -> bool:
        """Tell whether a kernel of any commit of the repository is recorded."""
        repository = (repo.source, repo.owner, repo.name)
        return any(
            commit.kernels
            for key, commit in self._commits.items()
            if key[:3] == repository
        )

    def units(self, repo: Repo) -> Iterator[KernelUnit]:
        """Yield the distinct units of the commit, ports included, ordered by digest."""
        own: dict[str, KernelUnit] = {}
        commit = self._ensure_commit(repo)
        for kernel in commit.kernels:
            if kernel.unit:
                own[kernel.unit.digest] = kernel.unit

        ported: dict[str, KernelUnit] = {}
        for digest in own:
            ports = self._ports.get(digest, {})
            ported.update(ports)

        # the text of a port may be that of a project's own kernel
        units = {**ported, **own}
        for digest in sorted(units):
            yield units[digest]

    def put_ports(self, ported: Iterable[KernelUnit]) -> None:
        """Replace the ports of the units that `ported_from` names."""
        ports: list[KernelUnit] = []
        for unit in ported:
            # a text that a port leaves as it is needs none
            if unit.ported_from not in {"", unit.digest}:
                ports.append(unit)

        sources = {unit.ported_from for unit in ports}
        missing = sources - self._units
        if missing:
            raise KeyError(min(missing))

        # emptied first: several ports of one unit may come together
        for unit in ports:
            self._units.add(unit.digest)
            self._ports[unit.ported_from] = {}

        for unit in ports:
            ports_of_source = self._ports[unit.ported_from]
            ports_of_source[unit.digest] = unit

    def put_builds(self, builds: Iterable[Build]) -> None:
        """Store builds; a newer one of the same (unit, target, toolchain) replaces the older."""
        self._verdicts.put_builds(builds)

    def put_runs(self, runs: Iterable[Run], suites: Iterable[Suite] = ()) -> None:
        """Store runs and the suites that they name; a newer run replaces the older."""
        self._verdicts.put_runs(runs, suites)

    def group_copies(self) -> int:
        """Group the near copies of kernels' texts that are new, and return how many these are."""
        commits = self._commits.values()
        return self._near_copies.group(
            kernel for commit in commits for kernel in commit.kernels
        )

    def repository_clusters(self) -> Iterator[RepositoryCluster]:
        """Yield each repository with each group of near copies of which it holds one."""
        depths: dict[tuple[str, str], int] = {}
        for row in self.query():
            if row.near_cluster:
                key = row.repo, row.near_cluster
                depth = row.path.count("/")
                depths[key] = min(depth, depths.get(key, depth))

        for (repo, near_cluster), depth in depths.items():
            yield RepositoryCluster(repo, near_cluster, depth)

    def query(
        self,
        expression: str = "",
        *,
        crawl: str = "",
        limit: int = 0,
        after: Place | None = None,
    ) -> Iterator[KernelRow]:
        """Yield matching rows; raises `BadQuery` at once."""
        matches = self._find_matches(expression, crawl)
        rows = (row for row, _ in matches if after is None or place_in(row) > after)
        return islice(rows, limit or None)

    def records(
        self, expression: str = "", *, crawl: str = "", limit: int = 0
    ) -> Iterator[KernelRecord]:
        """Yield the whole records of the same kernels in the same order; 0 for no limit."""
        matches = self._find_matches(expression, crawl)
        return (record for _, record in islice(matches, limit or None))

    def count_values(
        self, field: str, expression: str = "", *, crawl: str = "", among: int = 0
    ) -> list[ValueCount]:
        """Return how many matching kernels have each value of a field, the most frequent first."""
        chosen_field, target = parse_field(field)
        rows = self.query(expression, crawl=crawl, limit=among)
        return count_row_values(rows, chosen_field, target)

    def compute_fingerprint(self) -> str:
        """Return a digest that is another one as soon as any row or record is."""
        return digest_values([*self.repos(), *self.query(), *self.records()])

    def totals(self, *, crawl: str = "") -> Totals:
        """Count the kernels of a crawl, or of all."""
        rows = list(self.query(crawl=crawl))
        digests = {row.digest for row in rows if row.digest}
        ports = (self._ports.get(digest, {}).values() for digest in digests)
        return count_rows(rows, ports)

    def step_totals(self, *, crawl: str = "") -> StepTotals:
        """Count how many of a crawl, or of all, came through to which step."""
        return select_steps(self.totals(crawl=crawl))

    def _ensure_commit(self, repo: Repo) -> Commit:
        key = commit_key(repo)
        return self._commits.setdefault(key, Commit(repo))

    def _find_matches(
        self, expression: str, crawl: str
    ) -> Iterator[tuple[KernelRow, KernelRecord]]:
        # parsed now, so that `BadQuery` is not raised only when the first row is read
        condition = parse_query(expression)
        commits = self._commits_of(crawl)
        places = [(commit, kernel) for commit in commits for kernel in commit.kernels]
        places.sort(key=place_of)
        return self._iter_matches(places, condition)

    def _iter_matches(
        self, places: Iterable[tuple[Commit, Kernel]], condition: Condition
    ) -> Iterator[tuple[KernelRow, KernelRecord]]:
        # rows are made one by one, after the sort: most queries read the first few
        for commit, kernel in places:
            record = self._make_record(commit, kernel)
            row = make_row(record, commit.superseded)
            if matches(row, condition, join_words(kernel).split()):
                yield row, record

    def _commits_of(self, crawl: str) -> list[Commit]:
        """Return the commits that tasks of a crawl found, or all."""
        commits = list(self._commits.values())
        return select_commits(commits, self._tasks_of(crawl)) if crawl else commits

    def _make_record(self, commit: Commit, kernel: Kernel) -> KernelRecord:
        unit = kernel.unit
        digest = unit.digest if unit else ""
        ports_by_digest = self._ports.get(digest, {})
        ports = [ports_by_digest[port] for port in sorted(ports_by_digest)]
        builds = self._verdicts.newest_builds(digest)
        runs = self._verdicts.newest_runs(digest)

        # verdicts of a port count for the kernel that it was ported from
        for port in ports:
            builds += self._verdicts.newest_builds(port.digest)
            runs += self._verdicts.newest_runs(port.digest)

        provenance = Provenance(
            repo=commit.repo,
            span=kernel.span,
            snapshot=commit.snapshot,
            flags_origin=kernel.flags_origin,
            borrowed_from=kernel.borrowed_from,
        )

        return KernelRecord(
            kernel=kernel,
            provenance=provenance,
            ports=tuple(ports),
            builds=tuple(builds),
            runs=tuple(runs),
            suites=self._verdicts.suites_of(runs),
            cluster=unit.token_digest if unit else "",
            near_cluster=self._near_copies.find_cluster(kernel),
            reasons=list_reasons(kernel, ports, builds, runs),
            reviews=self.reviews.history(digest),
        )
