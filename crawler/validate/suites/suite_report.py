"""What a project's own tests show of the kernels that they launch."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.validate.programs.runs.launch_faults import (
    LaunchFault,
    ProgramRuns,
    find_faults,
)
from crawler.validate.programs.runs.launch_log import InstanceKey
from crawler.validate.programs.runs.program_runs import REVERSE, ZERO, ProgramRun
from crawler.validate.recordings.data_licence import find_data_licence
from crawler.validate.suites.instance_tests import (
    CHANGE_KINDS,
    MAX_NAMED_TESTS,
    FailedTest,
    InstanceTests,
    TestsOfInstances,
    choose_repeated_tests,
    list_failures,
    read_checks,
    summarise_instances,
)
from crawler.validate.suites.interface import (
    ReadySuite,
    SuiteRefused,
    SuiteRequest,
    choose_suite_kind,
)
from crawler.validate.suites.suite_records import (
    CRASHED,
    FAILED,
    TOO_SLOW,
    KernelChange,
    TestRecord,
)
from crawler.validate.suites.suite_runs import (
    SuitePlan,
    SuiteProject,
    SuiteRun,
    run_suite,
)
from crawler.validate.suites.torch_environment import TorchEnvironment

_CHANGED_TEST_SECONDS: Final = 20
"""Of the processor, for a test whose kernel is changed: it may wait for it without end."""
_MAX_CHECKING_TESTS: Final = 6
"""Tests that are asked whether they notice a kernel's change."""
_MAX_MESSAGE_LENGTH: Final = 500
# what Python says of an import
_MISSING: Final = re.compile(r"No module named '([\w.]{1,100})'")
_MAX_OUTPUT_LENGTH: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """What came of a project's tests."""

    kernels: tuple[InstanceTests, ...] = ()
    outcomes: dict[str, int]
    """Tests by their outcome: `passed`, `failed`, `skipped`, `crashed`, `too slow`, and `not run`
    where time was up before; files by `uncollected`.
    """
    failures: tuple[FailedTest, ...] = ()
    """Those that do not pass, at most eight."""
    launching: int = 0
    """Tests that launch a kernel of the project."""
    modules: tuple[str, ...] = ()
    """Extension modules that were built."""
    broken: dict[str, str]
    """Why a module was not, by its name."""
    missing_modules: tuple[str, ...] = ()
    """What tests import and the interpreter does not have."""
    code: str = ""
    """Why there is nothing to tell: `no-extension`, `no-torch`, `no-test`,
    `host-compile-error`, `build-failed`, `no-launch`; else empty.
    """
    message: str = ""


def observe_suite(
    tree: SourceTree,
    environment: TorchEnvironment | None,
    report_progress: Callable[[str], None] = lambda line: None,
    *,
    needed: Sequence[SourceTree] = (),
) -> SuiteReport:
    """Build a project, run its tests in every way that may tell something, and report what their
    kernels did.

    `environment` is where tests run that need PyTorch; these import the packages of the projects
    `needed`, too, which are built likewise.
    `report_progress` is told of each step. Raises `MissingTool` where the sandbox does not work.
    """
    request = SuiteRequest(
        tree=tree,
        environment=environment,
        needed=needed,
        report_progress=report_progress,
    )
    try:
        with choose_suite_kind(tree).open(request) as suite:
            report = _observe_project(suite, report_progress)
            return replace(report, broken=suite.broken, modules=suite.modules)
    except SuiteRefused as error:
        return _make_empty_report(error.code, str(error), error.broken)


def _make_empty_report(code: str, message: str, broken: dict[str, str]) -> SuiteReport:
    message = message[:_MAX_MESSAGE_LENGTH]
    return SuiteReport(code=code, message=message, outcomes={}, broken=broken)


def _observe_project(
    suite: ReadySuite, report_progress: Callable[[str], None]
) -> SuiteReport:
    project, known_kernels = suite.project, suite.kernels
    report_progress("the tests")
    plain = run_suite(project, SuitePlan(records=True))
    outcomes = _count_outcomes(plain)
    own_launches = (
        launch
        for launch in plain.log.launches
        if 0 <= launch.kernel < len(known_kernels)
    )
    launching = tuple(sorted({launch.test for launch in own_launches} - {0}))
    missing_modules = _find_missing_modules(plain.records)
    if not launching:
        return SuiteReport(
            code="no-launch",
            message=plain.output[-_MAX_OUTPUT_LENGTH:],
            outcomes=dict(outcomes),
            broken={},
            missing_modules=missing_modules,
        )

    report_progress("the tests that launch kernels, with threads in reverse")
    repeated = choose_repeated_tests(plain, launching)
    backward = run_suite(project, SuitePlan(tests=repeated, order=REVERSE))
    faults = _find_suite_faults(project, plain, backward, repeated, report_progress)
    tests = TestsOfInstances(plain, backward, len(known_kernels))
    report_progress("the tests with kernels changed")
    checking = _find_checking_tests(project, tests)
    kernels = tuple(
        summarise_instances(
            known_kernels,
            tests,
            faults,
            checking,
            cache(partial(find_data_licence, project.folder)),
        )
    )
    return SuiteReport(
        kernels=kernels,
        outcomes=dict(outcomes),
        failures=list_failures(plain.records, (FAILED, CRASHED, TOO_SLOW)),
        launching=len(launching),
        missing_modules=missing_modules,
        broken={},
    )


def _count_outcomes(run: SuiteRun) -> Counter[str]:
    """Return how many of all tests came to which end; some may not have had their turn."""
    outcomes = Counter(record.outcome for record in run.records)
    numbers = {record.number for record in run.records if record.number}
    if run.collected > len(numbers):
        outcomes["not run"] = run.collected - len(numbers)

    return outcomes


def _find_suite_faults(
    project: SuiteProject,
    plain: SuiteRun,
    backward: SuiteRun,
    repeated: tuple[int, ...],
    report_progress: Callable[[str], None],
) -> dict[InstanceKey, LaunchFault]:
    """Return the faults that tests show which were run backward, too, run once more with zeros."""
    report_progress("the same, with zeros in memory that nobody wrote")
    zeroed = run_suite(project, SuitePlan(tests=repeated, fill=ZERO))
    repeated_tests = set(repeated)

    def run_again() -> ProgramRun:
        report_progress("the same once more")
        again = run_suite(project, SuitePlan(tests=repeated))
        return _as_program_run(_keep_tests(again, repeated_tests))

    return find_faults(
        ProgramRuns(
            poisoned=_as_program_run(_keep_tests(plain, repeated_tests)),
            zeroed=_as_program_run(zeroed),
            reversed=_as_program_run(backward),
        ),
        run_again,
    )


def _find_missing_modules(records: Iterable[TestRecord]) -> tuple[str, ...]:
    names = (name for record in records for name in _MISSING.findall(record.message))
    return tuple(dict.fromkeys(names))[:MAX_NAMED_TESTS]


def _keep_tests(run: SuiteRun, numbers: set[int]) -> SuiteRun:
    launches = tuple(launch for launch in run.log.launches if launch.test in numbers)
    return replace(run, log=replace(run.log, launches=launches))


def _as_program_run(run: SuiteRun) -> ProgramRun:
    # what pytest prints has seconds in it, so nothing is read off that
    return ProgramRun(log=run.log, exit_code=0, output="")


def _find_checking_tests(
    project: SuiteProject, tests: TestsOfInstances
) -> dict[InstanceKey, str]:
    """Return the test that looks at an instantiation's results, for each where one does."""
    tried_changes: dict[int, list[KernelChange]] = defaultdict(list)
    for key in tests.launches:
        for record in tests.list_passing(key)[:_MAX_CHECKING_TESTS]:
            tried_changes[record.number] += [
                KernelChange(kind, *key) for kind in CHANGE_KINDS
            ]

    if not tried_changes:
        return {}

    plan = SuitePlan(
        tests=tuple(sorted(tried_changes)),
        changes={number: tuple(changes) for number, changes in tried_changes.items()},
        test_seconds=_CHANGED_TEST_SECONDS,
    )
    return read_checks(run_suite(project, plan).records)
