"""Times of launches, each on fresh buffers whose outputs are looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.model import Case
from crawler.validate.devices.runner_io.report import RunnerReport, TimingLine
from crawler.validate.runner.driver import Driver
from crawler.validate.runner.manifest import Job, Timing, read_units
from crawler.validate.runner.session import ResultWriter, Session
from crawler.validate.runner.timing import MAX_OUTPUTS, EventClock, time_case
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does

pytestmark = pytest.mark.apt

OpenDriver = Callable[..., Driver]
WriteFolder = Callable[..., Path]
FEW = Timing(launches=6, warm_ups=2, seconds=20.0)


def time_bundle(bundle: Path, driver: Driver, job: Job) -> tuple[bool, RunnerReport]:
    """Time a case of the bundle's unit; return whether the device is left, and the report."""
    (unit,) = read_units(bundle)
    results = ResultWriter(bundle)
    is_usable = time_case(Session(bundle, unit, driver, results), job)
    results.close()
    return is_usable, RunnerReport(bundle)


def time_honest(
    write_folder: WriteFolder, driver: Driver, timing: Timing
) -> TimingLine:
    blobs = Blobs()
    bundle = write_folder([kernels.case(Does.ITS_WORK, blobs)], blobs)
    is_usable, report = time_bundle(bundle, driver, Job(timing=timing))
    assert is_usable
    assert report.timing
    return report.timing


def test_each_sample_is_one_launch_that_takes_long_enough(
    open_driver: OpenDriver, write_folder: WriteFolder
) -> None:
    line = time_honest(write_folder, open_driver(timescale="1000"), FEW)
    assert line.batch == 1
    assert len(line.milliseconds) == len(line.host_milliseconds) == FEW.launches
    assert all(milliseconds > 0 for milliseconds in line.milliseconds)
    assert line.checked == FEW.launches + FEW.warm_ups
    assert len(line.sensors) == 2


def test_short_launches_are_measured_together(
    open_driver: OpenDriver, write_folder: WriteFolder
) -> None:
    line = time_honest(write_folder, open_driver(timescale="1e-6"), FEW)
    assert line.batch > 1
    # As many batches as it takes for the launches that were asked for.
    samples = len(line.milliseconds)
    assert (samples - 1) * line.batch < FEW.launches <= samples * line.batch
    assert line.checked == samples * line.batch + FEW.warm_ups


def test_outputs_of_an_honest_kernel_are_kept_once(
    open_driver: OpenDriver, write_folder: WriteFolder
) -> None:
    line = time_honest(write_folder, open_driver(), FEW)
    (result,) = line.runs
    assert result.buffers[0] is None
    assert result.buffers[1]
    assert line.unkept == 0


def test_outputs_that_differ_each_time_are_counted_beyond_the_first_few(
    open_driver: OpenDriver, write_folder: WriteFolder
) -> None:
    blobs = Blobs()
    bundle = write_folder(
        [kernels.case(Does.ITS_WORK, blobs)], blobs, symbols=("counts",)
    )
    timing = replace(FEW, launches=20)
    _, report = time_bundle(bundle, open_driver(), Job(timing=timing))
    line = report.timing
    assert line
    assert len(line.runs) == MAX_OUTPUTS
    assert line.unkept == line.checked - MAX_OUTPUTS


def test_no_launch_is_begun_when_time_is_up(
    open_driver: OpenDriver, write_folder: WriteFolder
) -> None:
    line = time_honest(write_folder, open_driver(), replace(FEW, seconds=0.0))
    assert line.milliseconds == ()
    assert line.checked == FEW.warm_ups


def test_one_launch_warms_up_even_if_none_is_asked_for(
    open_driver: OpenDriver, write_folder: WriteFolder
) -> None:
    line = time_honest(write_folder, open_driver(), replace(FEW, warm_ups=0))
    assert line.checked == len(line.milliseconds) * line.batch + 1


def list_sized_cases(blobs: Blobs) -> list[Case]:
    sizes = {"small": 10, "large": 300, "medium": 100}
    return [
        kernels.case(Does.ITS_WORK, blobs, n=size, name=name)
        for name, size in sizes.items()
    ]


@pytest.mark.parametrize(
    ("named", "timed"), [("", "large"), ("small", "small"), ("none", "large")]
)
def test_the_named_case_is_timed_or_else_the_largest(
    open_driver: OpenDriver, write_folder: WriteFolder, named: str, timed: str
) -> None:
    blobs = Blobs()
    bundle = write_folder(list_sized_cases(blobs), blobs)
    _, report = time_bundle(bundle, open_driver(), Job(timing=FEW, case=named))
    assert report.timing
    assert report.timing.case == timed


def test_nothing_is_timed_without_cases_or_a_wish(
    open_driver: OpenDriver, write_folder: WriteFolder
) -> None:
    blobs = Blobs()
    bundle = write_folder([], blobs)
    assert time_bundle(bundle, open_driver(), Job(timing=FEW))[1].timing is None
    assert time_bundle(bundle, open_driver(), Job())[1].timing is None


def test_a_case_that_the_device_cannot_hold_has_a_code_and_no_times(
    open_driver: OpenDriver, write_folder: WriteFolder
) -> None:
    blobs = Blobs()
    case = kernels.case(Does.ITS_WORK, blobs, shared_bytes=1 << 20)
    bundle = write_folder([case], blobs)
    is_usable, report = time_bundle(bundle, open_driver(), Job(timing=FEW))
    assert is_usable
    assert report.timing
    assert (report.timing.code, report.timing.milliseconds) == ("shared-memory", ())


@pytest.mark.parametrize(
    ("fail", "code", "is_usable"),
    [
        ("EventElapsedTime:2:1", "bad-launch", True),
        ("DeviceSynchronize:3:719", "launch-failed", False),
    ],
)
def test_a_driver_that_refuses_ends_the_timing(
    open_driver: OpenDriver,
    write_folder: WriteFolder,
    fail: str,
    code: str,
    is_usable: bool,
) -> None:
    blobs = Blobs()
    bundle = write_folder([kernels.case(Does.ITS_WORK, blobs)], blobs)
    driver = open_driver(fail=fail)
    free_before = driver.free_and_total_memory()
    outcome, report = time_bundle(bundle, driver, Job(timing=FEW))
    assert outcome is is_usable
    assert report.timing
    assert report.timing.code == code
    assert driver.free_and_total_memory() == free_before


def test_timing_gives_all_memory_back(
    open_driver: OpenDriver, write_folder: WriteFolder
) -> None:
    driver = open_driver()
    free_before = driver.free_and_total_memory()
    time_honest(write_folder, driver, FEW)
    assert driver.free_and_total_memory() == free_before


def test_the_host_sees_at_least_what_the_events_see(open_driver: OpenDriver) -> None:
    driver = open_driver()
    clock = EventClock(driver)
    address = driver.allocate(1 << 16)
    event_ms, host_ms = clock.time_work(lambda: driver.fill(address, 1, 1 << 16))
    assert 0 < event_ms <= host_ms
    clock.close()
