"""The kernel index in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from crawler.codec import encode
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
from storage.in_memory.views import count_rows, make_row
from storage.index.derived_values import (
    port_blocker_codes,
    reason_codes,
    repo_label,
    unit_problem_code,
)
from storage.index.query.parser import parse_query
from storage.index.query.row_matching import matches_terms
from storage.interfaces import KernelRow, Totals

CommitKey = tuple[str, str, str, str]
"""(source, owner, name, commit)."""


@dataclass(slots=True)
class _Commit:
    repo: Repo
    snapshot: str = ""
    database: str = ""
    tasks: set[int] = field(default_factory=set)
    kernels: list[Kernel] = field(default_factory=list)
    superseded: bool = False


def _commit_key(repo: Repo) -> CommitKey:
    return repo.source, repo.owner, repo.name, repo.commit


class InMemoryKernelIndex:
    """A `KernelIndex` in dictionaries; `tasks_of` returns the tasks of a crawl."""

    def __init__(
        self, tasks_of: Callable[[str], Container[int]] = lambda crawl: ()
    ) -> None:
        self._tasks_of = tasks_of
        self._commits: dict[CommitKey, _Commit] = {}
        self._units: set[str] = set()
        self._ports: dict[str, dict[str, KernelUnit]] = {}
        # newer builds and runs stand behind older ones
        self._builds: dict[tuple[str, str, str], Build] = {}
        self._runs: dict[tuple[str, str, str, str], Run] = {}
        self._suites: dict[str, Suite] = {}

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
        for key, commit in self._commits.items():
            if key[:3] != repository or key[3] == repo.commit:
                continue
            if not repo.commit or commit.repo.ref == repo.ref:
                commit.superseded = True

    def reinstate(self, repo: Repo) -> None:
        """Make a superseded commit the newest of its ref again."""
        commit = self._commits.get(_commit_key(repo))
        if commit and commit.superseded and commit.kernels:
            commit.superseded = False
            self.supersede(repo)

    def rename(self, old: Repo, new: Repo) -> None:
        """Give every commit of a repository another owner, name and address."""
        repository = old.source, old.owner, old.name
        for key in [key for key in self._commits if key[:3] == repository]:
            commit = self._commits.pop(key)
            commit.repo = replace(
                commit.repo, owner=new.owner, name=new.name, url=new.url
            )
            new_key = new.source, new.owner, new.name, key[3]
            self._commits.setdefault(new_key, commit)

    def put_kernels(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Replace the kernels of the commit, with their units, by `kernels`."""
        commit = self._ensure_commit(repo)
        commit.kernels = list(kernels)
        commit.superseded = False
        self.supersede(repo)

        for kernel in commit.kernels:
            if kernel.unit:
                self._units.add(kernel.unit.digest)

    def units(self, repo: Repo) -> Iterator[KernelUnit]:
        """Yield the distinct units of the commit, ports included, ordered by digest."""
        own: dict[str, KernelUnit] = {}
        ported: dict[str, KernelUnit] = {}

        for kernel in self._ensure_commit(repo).kernels:
            if kernel.unit:
                own[kernel.unit.digest] = kernel.unit

        for digest in own:
            ported.update(self._ports.get(digest, {}))

        units = {**ported, **own}

        for digest in sorted(units):
            yield units[digest]

    def put_ports(self, ported: Iterable[KernelUnit]) -> None:
        """Replace the ports of the units that `ported_from` names."""
        ports = [unit for unit in ported if unit.ported_from not in {"", unit.digest}]
        missing = {unit.ported_from for unit in ports} - self._units
        if missing:
            raise KeyError(min(missing))

        # emptied first: several ports of one unit may come together
        for unit in ports:
            self._units.add(unit.digest)
            self._ports[unit.ported_from] = {}

        for unit in ports:
            self._ports[unit.ported_from][unit.digest] = unit

    def put_builds(self, builds: Iterable[Build]) -> None:
        """Store builds; a newer one of the same (unit, target, toolchain) replaces the older."""
        for build in builds:
            # removed first, so that it goes behind all others
            key = build.unit, build.target, build.toolchain.digest
            self._builds.pop(key, None)
            self._builds[key] = build

    def put_runs(self, runs: Iterable[Run], suites: Iterable[Suite] = ()) -> None:
        """Store runs and the suites that they name; a newer run replaces the older."""
        run_list = list(runs)
        new_suites = {
            hashlib.sha256(encode(suite)).hexdigest(): suite for suite in suites
        }
        # checked before anything is changed, as a transaction would be rolled back
        named = {run.suite for run in run_list if run.suite}
        missing = named - self._suites.keys() - new_suites.keys()
        if missing:
            raise KeyError(min(missing))

        self._suites |= new_suites

        for run in run_list:
            key = run.unit, run.device, run.details, run.toolchain.digest
            self._runs.pop(key, None)
            self._runs[key] = run

    def query(
        self, expression: str = "", *, crawl: str = "", limit: int = 0
    ) -> Iterator[KernelRow]:
        """Yield matching rows; raises `BadQuery` at once."""
        matches = self._find_matches(expression, crawl)
        return islice((row for row, _ in matches), limit or None)

    def records(
        self, expression: str = "", *, crawl: str = ""
    ) -> Iterator[KernelRecord]:
        """Yield the whole records of the same kernels in the same order."""
        return (record for _, record in self._find_matches(expression, crawl))

    def totals(self, *, crawl: str = "") -> Totals:
        """Count the kernels of a crawl, or of all."""
        rows = list(self.query(crawl=crawl))
        units = {row.digest for row in rows if row.digest}
        ports = [tuple(self._ports.get(digest, {}).values()) for digest in units]
        return count_rows(rows, ports)

    def _ensure_commit(self, repo: Repo) -> _Commit:
        return self._commits.setdefault(_commit_key(repo), _Commit(repo))

    def _find_matches(
        self, expression: str, crawl: str
    ) -> Iterator[tuple[KernelRow, KernelRecord]]:
        terms = parse_query(expression)
        placed = [
            (commit, kernel)
            for commit in self._commits_of(crawl)
            for kernel in commit.kernels
        ]
        # rows are made one by one, after the sort: most queries read the first few
        placed.sort(key=_place_of)
        records = (
            (self._make_record(commit, kernel), commit.superseded)
            for commit, kernel in placed
        )
        pairs = (
            (make_row(record, superseded), record) for record, superseded in records
        )

        return (pair for pair in pairs if matches_terms(pair[0], terms))

    def _commits_of(self, crawl: str) -> list[_Commit]:
        """Return the commits that tasks of a crawl found, or all."""
        commits = list(self._commits.values())
        if not crawl:
            return commits

        tasks = self._tasks_of(crawl)
        return [
            commit for commit in commits if any(task in tasks for task in commit.tasks)
        ]

    def _make_record(self, commit: _Commit, kernel: Kernel) -> KernelRecord:
        unit = kernel.unit
        digest = unit.digest if unit else ""
        ports_by_digest = self._ports.get(digest, {})
        ports = [ports_by_digest[port] for port in sorted(ports_by_digest)]
        builds: list[Build] = []
        runs: list[Run] = []

        for built in (digest, *(port.digest for port in ports)):
            builds += self._newest_builds(built)
            runs += self._newest_runs(built)

        suites = dict.fromkeys(run.suite for run in runs if run.suite)
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
            suites=tuple((suite, self._suites[suite]) for suite in suites),
            cluster=unit.token_digest if unit else "",
            reasons=_list_reasons(kernel, ports, builds, runs),
        )

    def _newest_builds(self, unit: str) -> list[Build]:
        """Return the last build of a unit on each target, by target."""
        newest = {
            build.target: build for build in self._builds.values() if build.unit == unit
        }
        return [newest[target] for target in sorted(newest)]

    def _newest_runs(self, unit: str) -> list[Run]:
        """Return the last run of a unit on each device, by device."""
        newest = {run.device: run for run in self._runs.values() if run.unit == unit}
        return [newest[device] for device in sorted(newest)]


def _list_reasons(
    kernel: Kernel, ports: list[KernelUnit], builds: list[Build], runs: list[Run]
) -> tuple[str, ...]:
    verdicts = [build.pass_call for build in builds]
    verdicts += [run.pass_exe for run in runs]
    return reason_codes(
        unit_problem_code(kernel),
        [(verdict.status, verdict.code) for verdict in verdicts],
        [code for port in ports for code in port_blocker_codes(port)],
    )


def _place_of(placed: tuple[_Commit, Kernel]) -> tuple[str, str, str, int]:
    commit, kernel = placed
    return (
        repo_label(commit.repo),
        commit.repo.commit,
        kernel.span.path,
        kernel.span.offset,
    )
