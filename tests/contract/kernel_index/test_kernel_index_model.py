"""Whatever is put into an index in SQL, and in whichever order, it holds what one in memory
holds.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from crawler.model import Dialect, Kernel, KernelUnit, PortReport, Repo, Run, Status
from storage.in_memory.index import InMemoryKernelIndex
from storage.interfaces import KernelIndex
from storage.open import Storage, open_storage
from tests.contract.kernel_indexes import (
    build_of,
    kernel_of,
    run_of,
    suite_of,
    unit_of,
)

UNITS = tuple(unit_of(f"body {number}") for number in range(4))
NAMES = st.sampled_from(["tide", "wave"])
REPOS = st.builds(
    lambda name, ref, commit: Repo(
        source="git", owner="o", name=name, url="u", ref=ref, commit=commit
    ),
    NAMES,
    st.sampled_from(["main", "next"]),
    st.sampled_from(["1", "2", "3"]),
)
DIGESTS = st.sampled_from(["", "a" * 64, "b" * 64])
UNIT_NUMBERS = st.integers(0, len(UNITS) - 1)
STATUSES = st.sampled_from([Status.PASS, Status.FAIL, Status.SKIPPED])
COMPILERS = st.sampled_from(["clang 18", "clang 19"])


@st.composite
def kernels(draw: st.DrawFn) -> list[Kernel]:
    """Draw the kernels of one commit: no two of them at one place."""
    places = draw(
        st.lists(
            st.tuples(st.sampled_from(["a.cu", "b/c.cu"]), st.integers(0, 2)),
            unique=True,
            max_size=3,
        )
    )
    drawn: list[Kernel] = []
    for path, number in places:
        unit = draw(st.none() | st.sampled_from(UNITS))
        name = draw(st.sampled_from(["gather", "scatter"]))
        body = draw(st.sampled_from(["out[0] = a[0];", "b;", "b ;  // near"]))
        drawn.append(
            kernel_of(
                name,
                path=path,
                offset=100 * number,
                unit=unit,
                unit_problem="" if unit else "unresolved: Foo",
                source=draw(st.sampled_from(["", f"void {name}() {{ {body} }}"])),
            )
        )
    return drawn


def make_port(source: KernelUnit, text: str, *, is_blocked: bool = False) -> KernelUnit:
    port = unit_of(text, dialect=Dialect.HIP, ported_from=source.digest)
    report = PortReport(blockers=(("mma", 3),)) if is_blocked else PortReport()
    return replace(port, port_report=report)


PORTS = tuple(
    make_port(source, text, is_blocked=is_blocked)
    for source in UNITS
    for text, is_blocked in (
        (f"hip {source.source}", False),
        ("hip of several", True),
        # a port may be the very text of a project's own kernel
        (UNITS[0].source, False),
    )
)


class IndexMachine(RuleBasedStateMachine):
    """Does the same to both kinds of index, and looks at all that they show."""

    open_index: ClassVar[Callable[[], KernelIndex]]

    def __init__(self) -> None:
        super().__init__()
        self.index = type(self).open_index()
        self.memory = InMemoryKernelIndex()

    def change(self, act: Callable[[KernelIndex], object]) -> None:
        """Do the same to both, and let them refuse the same."""
        answers: list[object] = []
        for index in (self.index, self.memory):
            try:
                answers.append(act(index))
            except KeyError:
                # which of several it names is nobody's concern
                answers.append("refused")
        assert answers[0] == answers[1]

    @rule(repo=REPOS, snapshot=DIGESTS, database=DIGESTS)
    def put_commit(self, repo: Repo, snapshot: str, database: str) -> None:
        self.change(lambda index: index.put_commit(repo, snapshot, database))

    @rule(repo=REPOS, drawn=kernels())
    def put_kernels(self, repo: Repo, drawn: list[Kernel]) -> None:
        self.change(lambda index: index.put_commit(repo, "", ""))
        self.change(lambda index: index.put_kernels(repo, drawn))

    @rule(repo=REPOS, of_all_refs=st.booleans())
    def supersede(self, repo: Repo, of_all_refs: bool) -> None:
        newest = replace(repo, commit="") if of_all_refs else repo
        self.change(lambda index: index.supersede(newest))

    @rule(repo=REPOS)
    def reinstate(self, repo: Repo) -> None:
        self.change(lambda index: index.reinstate(repo))

    @rule(repo=REPOS, name=NAMES)
    def rename(self, repo: Repo, name: str) -> None:
        new = replace(repo, name=name, url=f"https://example.org/{name}")
        self.change(lambda index: index.rename(repo, new))

    @rule(ports=st.lists(st.sampled_from(PORTS), max_size=3, unique=True))
    def put_ports(self, ports: list[KernelUnit]) -> None:
        self.change(lambda index: index.put_ports(ports))

    @rule(
        unit=st.sampled_from((*UNITS, *PORTS)),
        architecture=st.sampled_from(["sm_80", "gfx90a"]),
        status=STATUSES,
        compiler=COMPILERS,
    )
    def put_build(
        self, unit: KernelUnit, architecture: str, status: Status, compiler: str
    ) -> None:
        if not self._is_known(unit):
            return
        build = build_of(unit, architecture, status, compiler=compiler)
        self.change(lambda index: index.put_builds([build]))

    @rule(
        unit=st.sampled_from((*UNITS, *PORTS)),
        device=st.sampled_from(["cpu", "cuda:sm_90"]),
        status=STATUSES,
        compiler=COMPILERS,
        has_suite=st.booleans(),
        is_followed=st.booleans(),
    )
    def put_run(
        self,
        unit: KernelUnit,
        device: str,
        status: Status,
        compiler: str,
        has_suite: bool,
        is_followed: bool,
    ) -> None:
        if not self._is_known(unit):
            return
        suite, digest = suite_of(unit)
        run = run_of(
            unit,
            device,
            status,
            compiler=compiler,
            suite=digest if has_suite else "",
        )
        runs: Sequence[Run] = [run]
        if is_followed:
            runs = [run, replace(run, instantiation="int", is_further=True)]
        suites = [suite] if has_suite else []
        self.change(lambda index: index.put_runs(runs, suites))

    @rule()
    def group_copies(self) -> None:
        self.change(lambda index: index.group_copies())

    @invariant()
    def both_show_the_same(self) -> None:
        assert self.index.repos() == self.memory.repos()
        assert list(self.index.query()) == list(self.memory.query())
        assert list(self.index.records()) == list(self.memory.records())
        assert self.index.totals() == self.memory.totals()
        assert self.index.step_totals() == self.memory.step_totals()

    @invariant()
    def commits_have_the_same_units(self) -> None:
        for repo in self.memory.repos():
            # one text may be the port of several units: of which it is called one is open
            digests = [unit.digest for unit in self.index.units(repo)]
            assert digests == [unit.digest for unit in self.memory.units(repo)]
            assert digests == sorted(set(digests))

    @invariant()
    def repositories_hold_the_same_groups(self) -> None:
        assert set(self.index.repository_clusters()) == set(
            self.memory.repository_clusters()
        )

    def _is_known(self, unit: KernelUnit) -> bool:
        return any(
            unit.digest in {known_unit.digest for known_unit in self.memory.units(repo)}
            for repo in self.memory.repos()
        )


def test_an_index_in_sql_holds_what_one_in_memory_holds(
    migrated_database: Path, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
        storages: list[Storage] = []

        def open_index() -> KernelIndex:
            home = Path(folder, str(len(storages)))
            home.mkdir()
            shutil.copy(migrated_database, home / "kernelset.db")
            storages.append(open_storage(home))
            return storages[-1].index

        machine = type(
            "Machine", (IndexMachine,), {"open_index": staticmethod(open_index)}
        )
        try:
            run_state_machine_as_test(
                machine,
                settings=settings(
                    max_examples=12,
                    stateful_step_count=12,
                    deadline=None,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            for storage in storages:
                storage.close()
