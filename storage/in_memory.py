"""In-memory implementations of the blob store and the kernel index, for tests and as their
reference.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

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
    select_run_per_device,
)
from storage.index.derived_values import (
    instantiation_labels,
    is_template,
    port_blocker_codes,
    port_wave,
    reason_codes,
    repo_label,
    unit_problem_code,
)
from storage.index.query_language import parse_query
from storage.index.row_matching import matches_terms
from storage.interfaces import KernelRow, Totals


class InMemoryBlobStore:
    """A `BlobStore` in a dictionary."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def put(self, content: bytes) -> str:
        """Store `content` and return its digest."""
        digest = hashlib.sha256(content).hexdigest()
        self._contents[digest] = bytes(content)
        return digest

    def put_many(self, contents: Iterable[bytes]) -> tuple[str, ...]:
        """Store each and return their digests in order."""
        return tuple(self.put(content) for content in contents)

    def get(self, digest: str) -> bytes:
        """Return the content; raises `KeyError` if there is none."""
        return self._contents[digest]

    def get_many(self, digests: Sequence[str]) -> tuple[bytes, ...]:
        """Return the contents in the order of `digests`."""
        return tuple(self.get(digest) for digest in digests)

    def has(self, digest: str) -> bool:
        """Tell whether the content is there."""
        return digest in self._contents


@dataclass(slots=True)
class _Commit:
    repo: Repo
    snapshot: str = ""
    database: str = ""
    tasks: set[int] = field(default_factory=set)
    kernels: list[Kernel] = field(default_factory=list)
    superseded: bool = False


class InMemoryKernelIndex:
    """A `KernelIndex` in dictionaries; `tasks_of` tells the tasks of a crawl, as the ledger
    would.
    """

    def __init__(
        self, tasks_of: Callable[[str], Container[int]] = lambda crawl: ()
    ) -> None:
        self._tasks_of = tasks_of
        self._commits: dict[tuple[str, str, str, str], _Commit] = {}
        self._units: set[str] = set()
        self._ports: dict[str, dict[str, KernelUnit]] = {}
        self._builds: dict[tuple[str, str, str], Build] = {}
        self._runs: dict[tuple[str, str, str, str], Run] = {}
        self._suites: dict[str, Suite] = {}

    def put_commit(
        self, repo: Repo, snapshot: str, database: str, *, task: int = 0
    ) -> None:
        """Record a commit; an empty digest changes nothing."""
        commit = self._commit(repo)
        commit.repo = repo
        commit.snapshot = snapshot or commit.snapshot
        commit.database = database or commit.database
        commit.tasks |= {task} if task else set()

    def repos(self) -> tuple[Repo, ...]:
        """Return every commit that is here, by source, owner, name and commit."""
        return tuple(commit.repo for _, commit in sorted(self._commits.items()))

    def supersede(self, repo: Repo) -> None:
        """Mark the kernels of every other commit of the same repository and ref."""
        for key, commit in self._commits.items():
            if (
                key[:3] == (repo.source, repo.owner, repo.name)
                and repo.commit != key[3]
            ):
                commit.superseded |= not repo.commit or commit.repo.ref == repo.ref

    def reinstate(self, repo: Repo) -> None:
        """Let a superseded commit that is the newest again count, and no other of its ref."""
        commit = self._commits.get((repo.source, repo.owner, repo.name, repo.commit))
        if commit and commit.superseded and commit.kernels:
            commit.superseded = False
            self.supersede(repo)

    def rename(self, old: Repo, new: Repo) -> None:
        """Give every commit of a repository another owner, name and address."""
        mine = [
            key for key in self._commits if key[:3] == (old.source, old.owner, old.name)
        ]
        for key in mine:
            commit = self._commits.pop(key)
            commit.repo = replace(
                commit.repo, owner=new.owner, name=new.name, url=new.url
            )
            self._commits.setdefault((new.source, new.owner, new.name, key[3]), commit)

    def put_kernels(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Make these the kernels of the commit, with their units."""
        self._commit(repo).kernels = list(kernels)
        self._commit(repo).superseded = False
        self.supersede(repo)
        self._units |= {
            kernel.unit.digest for kernel in self._commit(repo).kernels if kernel.unit
        }

    def units(self, repo: Repo) -> Iterator[KernelUnit]:
        """Yield the distinct units of the commit, ports included, ordered by digest."""
        own = {
            kernel.unit.digest: kernel.unit
            for kernel in self._commit(repo).kernels
            if kernel.unit
        }
        ported = {
            digest: unit
            for of in own
            for digest, unit in self._ports.get(of, {}).items()
        }
        yield from (unit for _, unit in sorted({**ported, **own}.items()))

    def put_ports(self, ported: Iterable[KernelUnit]) -> None:
        """Make these the ports of the units that they name."""
        listed = [unit for unit in ported if unit.ported_from not in {"", unit.digest}]
        unknown = {unit.ported_from for unit in listed} - self._units
        if unknown:
            raise KeyError(min(unknown))
        self._units |= {unit.digest for unit in listed}
        self._ports.update({unit.ported_from: {} for unit in listed})
        for unit in listed:
            self._ports[unit.ported_from][unit.digest] = unit

    def put_builds(self, builds: Iterable[Build]) -> None:
        """Store builds; a newer one of the same (unit, target, toolchain) replaces the older."""
        for build in builds:
            key = build.unit, build.target, build.toolchain.digest
            self._builds.pop(key, None)
            self._builds[key] = build

    def put_runs(self, runs: Iterable[Run], suites: Iterable[Suite] = ()) -> None:
        """Store runs and the suites that they name; a newer one of the same place replaces the
        older.
        """
        listed = list(runs)
        suites_now = {
            hashlib.sha256(encode(suite)).hexdigest(): suite for suite in suites
        }
        unknown = (
            {run.suite for run in listed if run.suite}
            - self._suites.keys()
            - suites_now.keys()
        )
        if unknown:
            raise KeyError(min(unknown))
        self._suites |= suites_now
        for run in listed:
            key = run.unit, run.device, run.details, run.toolchain.digest
            self._runs.pop(key, None)
            self._runs[key] = run

    def query(
        self, expression: str = "", *, crawl: str = "", limit: int = 0
    ) -> Iterator[KernelRow]:
        """Yield matching rows; raises `BadQuery` at once."""
        found = (row for row, _ in self._matching(expression, crawl))
        return (row for number, row in enumerate(found) if not limit or number < limit)

    def records(
        self, expression: str = "", *, crawl: str = ""
    ) -> Iterator[KernelRecord]:
        """Yield the whole records of the same kernels in the same order."""
        return (record for _, record in self._matching(expression, crawl))

    def totals(self, *, crawl: str = "") -> Totals:
        """Count the kernels of a crawl, or of all."""
        rows = list(self.query(crawl=crawl))
        verdicts = {
            (row.digest, target, status)
            for row in rows
            for target, status in row.pass_call.items()
        }
        ran = {
            (row.digest, device, status)
            for row in rows
            for device, status in row.pass_exe.items()
        }
        ports = [
            tuple(self._ports.get(digest, {}).values())
            for digest in {row.digest for row in rows if row.digest}
        ]
        return Totals(
            files=len({(row.repo, row.commit, row.path) for row in rows}),
            by_layer=dict(sorted(Counter(row.found_by for row in rows).items())),
            units=len({row.digest for row in rows if row.digest}),
            ported=sum(bool(units) for units in ports),
            classified=sum(any(map(port_blocker_codes, units)) for units in ports),
            compiled=_by_status(verdicts),
            ran=_by_status(ran),
            reasons=dict(
                sorted(Counter(code for row in rows for code in row.reasons).items())
            ),
        )

    def _commit(self, repo: Repo) -> _Commit:
        return self._commits.setdefault(
            (repo.source, repo.owner, repo.name, repo.commit), _Commit(repo)
        )

    def _matching(
        self, expression: str, crawl: str
    ) -> Iterator[tuple[KernelRow, KernelRecord]]:
        terms = parse_query(expression)
        wanted = self._tasks_of(crawl)
        chosen = [
            each
            for each in self._commits.values()
            if not crawl or any(task in wanted for task in each.tasks)
        ]
        found = ((commit, kernel) for commit in chosen for kernel in commit.kernels)
        records = (
            (self._record(*pair), pair[0].superseded)
            for pair in sorted(found, key=_place)
        )
        pairs = ((_row(record, superseded), record) for record, superseded in records)
        return (pair for pair in pairs if matches_terms(pair[0], terms))

    def _record(self, commit: _Commit, kernel: Kernel) -> KernelRecord:
        digest = kernel.unit.digest if kernel.unit else ""
        ports = [unit for _, unit in sorted(self._ports.get(digest, {}).items())]
        family = (digest, *(port.digest for port in ports))
        builds = [build for unit in family for build in self._newest(unit)]
        runs = [run for unit in family for run in self._newest_runs(unit)]
        verdicts = [each.pass_call for each in builds] + [
            each.pass_exe for each in runs
        ]
        told = [(each.status, each.code) for each in verdicts]
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
            suites=tuple(
                (each, self._suites[each])
                for each in dict.fromkeys(run.suite for run in runs if run.suite)
            ),
            cluster=kernel.unit.token_digest if kernel.unit else "",
            reasons=reason_codes(
                unit_problem_code(kernel),
                told,
                (code for port in ports for code in port_blocker_codes(port)),
            ),
        )

    def _newest(self, unit: str) -> list[Build]:
        found = {
            build.target: build for build in self._builds.values() if build.unit == unit
        }
        return [found[target] for target in sorted(found)]

    def _newest_runs(self, unit: str) -> list[Run]:
        found = {run.device: run for run in self._runs.values() if run.unit == unit}
        return [found[device] for device in sorted(found)]


def _by_status(verdicts: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for (place, status), number in sorted(
        Counter(verdict[1:] for verdict in verdicts).items()
    ):
        found.setdefault(place, {})[status] = number
    return found


def _place(pair: tuple[_Commit, Kernel]) -> tuple[str, str, str, int]:
    commit, kernel = pair
    return (
        repo_label(commit.repo),
        commit.repo.commit,
        kernel.span.path,
        kernel.span.offset,
    )


def _row(record: KernelRecord, superseded: bool) -> KernelRow:
    kernel, repo, runs = (
        record.kernel,
        record.provenance.repo,
        select_run_per_device(record.runs),
    )
    return KernelRow(
        digest=kernel.unit.digest if kernel.unit else "",
        name=kernel.name,
        qualified_name=kernel.qualified_name,
        repo=repo_label(repo),
        url=repo.url,
        commit=repo.commit,
        path=kernel.span.path,
        line=kernel.span.line,
        end_line=kernel.span.end_line,
        dialect=kernel.dialect.value,
        found_by=kernel.found_by.value,
        reason=kernel.reason,
        flags_origin=kernel.flags_origin.value,
        is_template=is_template(kernel),
        superseded=superseded,
        instantiations=instantiation_labels(kernel),
        launches=len(kernel.launches),
        licence=kernel.licence.spdx,
        licence_class=kernel.licence.kind.value,
        cluster=record.cluster,
        tags=tuple(sorted(set(kernel.tags))),
        ports=tuple(port.digest for port in record.ports),
        waves=tuple(filter(None, map(port_wave, record.ports))),
        pass_call={
            build.target: build.pass_call.status.value for build in record.builds
        },
        pass_exe={run.device: run.pass_exe.status.value for run in runs},
        pass_perf={
            run.device: run.pass_perf.status.value for run in runs if run.pass_perf
        },
        reasons=record.reasons,
    )
