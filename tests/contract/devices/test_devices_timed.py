"""How a kernel's time is taken on every device, and that kernels which cheat get none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import pytest

from crawler.model import Case, Status, Suite
from crawler.validate.devices.gpu_detection import RUNTIMES
from crawler.validate.devices.judgement.execution_verdict import judge_pass_exe
from crawler.validate.devices.judgement.performance import (
    Baseline,
    judge_pass_perf,
    summarise_performance,
)
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.devices.unit_runs import RunOptions
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.bench import Bench, build_raw_bench
from tests.stand_ins.kernels import Does

pytestmark = pytest.mark.apt


Timed = list[tuple[Suite, Case, RunnerReport]]
TIMED_WARM_UPS = 3
TIMED = RunOptions(
    seconds=20.0,
    timing={"launches": 60, "warm_ups": TIMED_WARM_UPS, "seconds": 10.0},
    case="ordinary",
)


@pytest.fixture(scope="module")
def timed_kernels(bench: Bench) -> Timed:
    """A kernel that does its work, and one that does so only as long as nobody seems to look,
    both timed.
    """
    cases = [
        kernels.case(does, bench.blobs)
        for does in (Does.ITS_WORK, Does.WORKS_THREE_TIMES)
    ]
    units = [
        bench.bundle(kernels.suite(bench.unit, [case]), str(number))
        for number, case in enumerate(cases)
    ]
    reports = bench.run(units, TIMED)
    return [
        (units[number].suite, case, reports[str(number)])
        for number, case in enumerate(cases)
    ]


def test_a_kernel_is_timed_by_many_launches(bench: Bench, timed_kernels: Timed) -> None:
    _, case, report = timed_kernels[0]
    measured = summarise_performance(case, report, bench.blobs)
    assert measured
    assert measured.launches >= 50
    assert 0 < measured.median_ms <= measured.host_ms
    assert measured.bytes_moved == 800
    assert measured.bandwidth > 0
    assert report.timing
    assert report.timing.checked >= 50
    verdict = judge_pass_perf(case, report, bench.blobs)
    assert verdict
    assert (verdict.status, verdict.code) == (Status.SKIPPED, "no-baseline")


@pytest.mark.parametrize(
    ("milliseconds", "status"), [(1e6, Status.PASS), (1e-6, Status.FAIL)]
)
def test_a_time_is_held_against_a_baseline(
    bench: Bench, timed_kernels: Timed, milliseconds: float, status: Status
) -> None:
    _, case, report = timed_kernels[0]
    verdict = judge_pass_perf(
        case,
        report,
        bench.blobs,
        Baseline(milliseconds=milliseconds, source="a project"),
    )
    assert verdict
    assert verdict.status is status
    assert "a project" in verdict.message


def test_work_that_is_done_only_at_first_is_no_work(
    bench: Bench, timed_kernels: Timed
) -> None:
    suite, case, report = timed_kernels[1]
    assert judge_pass_exe(suite, report, bench.blobs).status is Status.PASS
    verdict = judge_pass_perf(
        case, report, bench.blobs, Baseline(milliseconds=1e6, source="a project")
    )
    assert verdict
    assert (verdict.status, verdict.code) == (Status.FAIL, "timed-wrong")


@dataclass
class RawReports:
    """Kernels that no compiler would make, each run and timed, all in one go."""

    reports: dict[str, RunnerReport]
    suite: Suite
    blobs: Blobs

    def codes(self, name: str) -> tuple[str, str]:
        """What is said of its outputs, and of its time where two milliseconds are fast enough."""
        report = self.reports[name]
        baseline = Baseline(milliseconds=2.0, source="a project")
        timed_kernels = judge_pass_perf(
            self.suite.cases[0], report, self.blobs, baseline
        )
        return judge_pass_exe(
            self.suite, report, self.blobs
        ).code, timed_kernels.code if timed_kernels else "not-timed"


WRONG = ("wrong-value", "late-write", "illegal-address")
RAW = ("honest", "aside", "cached", "slow", "side", "looks", "keeps", "says", "leaves")


@pytest.fixture(scope="module", params=RUNTIMES)
def raw_reports(
    request: pytest.FixtureRequest, stand_in: Callable[..., Bench]
) -> RawReports:
    bench = build_raw_bench(stand_in, "", str(request.param))
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs)])
    units = [replace(bench, symbols=(name,)).bundle(suite, name) for name in RAW]
    return RawReports(bench.run(units, TIMED), suite, bench.blobs)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("honest", [("", "")]),
        # it returns before it is done; where its memory is gone by the time that it writes, the
        # device is lost
        (
            "aside",
            list(product(WRONG, ("timed-wrong", "illegal-address", "not-timed"))),
        ),
        # what it was given once, it takes as done
        ("cached", [("", "timed-wrong")]),
        # it sleeps while it is timed
        ("slow", [("", "slower")]),
        # its data would stay in the cache from launch to launch
        ("keeps", [("", "slower")]),
        # events do not see what the whole device does
        ("side", [("", "clock-mismatch")]),
        # what is printed is no report, and a process that ends well has none to give
        ("says", [("wrong-value", "timed-wrong")]),
        ("leaves", [("launch-failed", "not-timed")]),
        # a launch that had found the golden outputs would have failed
        ("looks", [("wrong-value", "timed-wrong")]),
    ],
)
def test_what_no_compiler_would_make_does_not_pass_either(
    raw_reports: RawReports, name: str, codes: list[tuple[str, str]]
) -> None:
    assert raw_reports.codes(name) in codes


def test_every_timed_launch_is_looked_at_however_large_its_outputs(
    stand_in: Callable[..., Bench],
) -> None:
    bench = build_raw_bench(stand_in, "tenth")
    case = kernels.case(Does.ITS_WORK, bench.blobs, n=300_000)
    suite = kernels.suite(bench.unit, [case])

    report = bench.report(suite, TIMED)

    assert judge_pass_exe(suite, report, bench.blobs).status is Status.PASS
    verdict = judge_pass_perf(case, report, bench.blobs)
    assert verdict
    assert (verdict.status, verdict.code) == (Status.FAIL, "timed-wrong")
    assert report.timing
    launches = len(report.timing.milliseconds) * report.timing.batch
    assert report.timing.checked == launches + TIMED_WARM_UPS


@pytest.mark.parametrize(
    ("name", "scale", "code"),
    [
        ("honest", "1e-6", "impossible"),
        ("slow", "1e-2", "clock-mismatch"),
        ("honest", "1000", "clock-mismatch"),
    ],
)
def test_times_that_cannot_be_are_refused(
    stand_in: Callable[..., Bench], name: str, scale: str, code: str
) -> None:
    bench = build_raw_bench(stand_in, name, timescale=scale)
    case = kernels.case(Does.ITS_WORK, bench.blobs)
    report = bench.report(kernels.suite(bench.unit, [case]), TIMED)
    verdict = judge_pass_perf(
        case, report, bench.blobs, Baseline(milliseconds=1e6, source="a project")
    )
    assert verdict
    assert (verdict.status, verdict.code) == (Status.FAIL, code)
    # what seems to take less than 20 microseconds is measured together, each launch on memory
    # of its own
    assert report.timing
    assert (report.timing.batch > 1) is (scale == "1e-6")
