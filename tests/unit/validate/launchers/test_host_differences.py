"""Launchers whose kernels compute something else than their project does on a host."""

from __future__ import annotations

from dataclasses import replace

from crawler.validate.launchers.host_differences import find_host_differences
from crawler.validate.programs.runs.launch_log import (
    LaunchFinding,
    LaunchLog,
    LoggedLaunch,
)
from crawler.validate.programs.runs.program_runs import ProgramRun

DIFFERENCE = "element 3 is 0 on the device and -0.5 on the host"
FINDING = LaunchFinding(
    kind="out-of-bounds",
    times=1,
    block=(0, 0, 0),
    thread=(0, 0, 0),
    line=0,
    allocation=0,
    offset=16,
    size=16,
)


def make_launch(test: int, kernel: int = 0) -> LoggedLaunch:
    return LoggedLaunch(
        number=test,
        kernel=kernel,
        grid=(1, 1, 1),
        block=(32, 1, 1),
        shared_bytes=0,
        test=test,
        is_finished=True,
    )


def make_run(*launches: LoggedLaunch, different: tuple[int, ...] = ()) -> ProgramRun:
    tests = sorted({launch.test for launch in launches})
    output = "".join(
        f"kernelset-host {test} {DIFFERENCE if test in different else 'agrees'}\n"
        for test in tests
    )
    return ProgramRun(log=LaunchLog(launches=launches), exit_code=0, output=output)


def list_messages(run: ProgramRun) -> list[str]:
    return [fault.message for _, fault, _ in find_host_differences(run)]


def test_results_that_differ_in_two_calls_are_refused() -> None:
    run = make_run(make_launch(1), make_launch(2), make_launch(3), different=(2, 3))
    [(instance, fault, _)] = find_host_differences(run)

    assert (instance, fault.code, fault.test) == ((0, ""), "own-check", 2)
    assert DIFFERENCE in fault.message


def test_one_call_may_differ_by_a_step_taken_sooner() -> None:
    assert not list_messages(make_run(make_launch(1), make_launch(2), different=(2,)))


def test_of_several_kernels_each_is_blamed_but_not_of_many() -> None:
    launches = [make_launch(test, kernel) for test in (1, 2) for kernel in range(2)]
    assert len(list_messages(make_run(*launches, different=(1, 2)))) == 2

    many = [make_launch(test, kernel) for test in (1, 2) for kernel in range(4)]
    assert not list_messages(make_run(*many, different=(1, 2)))


def test_where_something_else_goes_wrong_that_is_the_fault() -> None:
    faulty = replace(make_launch(2), findings=[FINDING])
    assert not list_messages(make_run(make_launch(1), faulty, different=(1, 2)))
