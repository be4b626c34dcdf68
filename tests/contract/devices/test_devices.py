"""What every device must make of kernels that do their work, and of kernels that only seem to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from crawler.model import Case, Dialect, KernelUnit, Status, Suite, Verdict
from crawler.validate.devices.gpu_detection import RUNTIMES
from crawler.validate.devices.judgement.execution_verdict import (
    is_object_loaded,
    judge_pass_exe,
)
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.devices.unit_runs import RunOptions, run_units
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.bench import Bench, open_real_bench
from tests.stand_ins.cpu import run_on_cpu
from tests.stand_ins.kernels import Does

pytestmark = pytest.mark.apt


@dataclass
class DeviceReports:
    """Reports of every kernel, run one after another on one device."""

    reports: dict[Does, tuple[Suite, RunnerReport]]
    after_work: tuple[Suite, RunnerReport]
    """Report of a kernel that does nothing, in memory where another did its work."""
    blobs: Blobs

    def verdict(self, does: Does) -> Verdict:
        suite, report = self.reports[does]
        return judge_pass_exe(suite, report, self.blobs)


DEVICES = [
    "cpu",
    *RUNTIMES,
    *(pytest.param(f"real {runtime}", marks=pytest.mark.gpu) for runtime in RUNTIMES),
]


@pytest.fixture(params=DEVICES, scope="module")
def device_reports(
    request: pytest.FixtureRequest,
    stand_in: Callable[..., Bench],
    tmp_path_factory: pytest.TempPathFactory,
) -> DeviceReports:
    kind, _, runtime = str(request.param).rpartition(" ")
    if runtime == "cpu":
        unit, blobs = kernels.unit(Dialect.CUDA), Blobs()
        suites = [
            *(kernels.suite_of(does, unit, blobs) for does in Does),
            build_idle_after_work_suite(unit, blobs),
        ]
        cpu_reports = run_on_cpu(
            unit, suites, blobs, tmp_path_factory.mktemp("cpu"), seconds=1.0
        )
        *pairs, after_work = zip(suites, cpu_reports, strict=True)
        return DeviceReports(dict(zip(Does, pairs, strict=True)), after_work, blobs)
    bench = open_real_bench(runtime) if kind else stand_in(runtime)
    suites_by_kernel = {
        does: kernels.suite_of(does, bench.unit, bench.blobs) for does in Does
    }
    after_work_suite = build_idle_after_work_suite(bench.unit, bench.blobs)
    units = [bench.bundle(suite, does.name) for does, suite in suites_by_kernel.items()]
    units.append(bench.bundle(after_work_suite, "again"))
    reports = bench.run(units, RunOptions(seconds=3.0))
    reports_by_kernel = {
        does: (suite, reports[does.name]) for does, suite in suites_by_kernel.items()
    }
    return DeviceReports(
        reports_by_kernel, (after_work_suite, reports["again"]), bench.blobs
    )


def build_idle_after_work_suite(unit: KernelUnit, blobs: Blobs) -> Suite:
    cases = [
        kernels.case(Does.ITS_WORK, blobs),
        kernels.case(Does.NOTHING, blobs, name="again"),
    ]
    return kernels.suite(unit, cases)


def test_a_kernel_that_does_its_work_passes_on_every_device(
    device_reports: DeviceReports,
) -> None:
    assert device_reports.verdict(Does.ITS_WORK) == Verdict(status=Status.PASS)
    assert is_object_loaded(device_reports.reports[Does.ITS_WORK][1]) is True


def test_a_device_tells_of_itself_and_gets_its_memory_back(bench: Bench) -> None:
    report = bench.report(kernels.suite_of(Does.ITS_WORK, bench.unit, bench.blobs))
    assert report.is_healthy
    assert report.memory
    assert report.memory.before == report.memory.after > 0
    assert report.device
    assert report.device.arch == bench.gpu.arch


@pytest.mark.parametrize(
    ("does", "codes"),
    [
        (Does.NOTHING, {"wrong-value"}),
        (Does.A_CONSTANT, {"wrong-value"}),
        (Does.COPIES_ITS_INPUT, {"wrong-value"}),
        (Does.KNOWS_ONE_SIZE, {"wrong-value"}),
        (Does.ROUNDS_TO_HALF, {"wrong-value"}),
        (Does.CHANGES_ITS_INPUT, {"input-changed"}),
        (Does.WRITES_BEHIND, {"outside-written", "illegal-address"}),
        (Does.WRITES_BEFORE, {"outside-written"}),
        (Does.WRITES_HALF, {"wrong-value"}),
        (Does.NEEDS_NAN, {"wrong-value"}),
        (Does.LEAVES_NAN, {"wrong-value"}),
        (Does.LEAVES_MEMORY, {"illegal-address", "device-fault"}),
        (
            Does.TRAPS,
            {
                "launch-failed",
                "assertion",
                "illegal-instruction",
                "device-fault",
                "driver-error",
            },
        ),
        (Does.NEVER_ENDS, {"timeout", "launch-timeout"}),
    ],
)
def test_a_kernel_that_only_seems_to_work_does_not_pass(
    device_reports: DeviceReports, does: Does, codes: set[str]
) -> None:
    verdict = device_reports.verdict(does)
    assert verdict.status is Status.FAIL
    assert verdict.message
    assert verdict.code in codes
    # whatever it did, the next one finds the device as it ought to be
    assert device_reports.reports[does][1].is_healthy


def test_globals_begin_anew_with_each_launch(device_reports: DeviceReports) -> None:
    assert device_reports.verdict(Does.SEES_ITS_LAST_RUN).status is Status.PASS


def test_memory_that_held_the_answer_holds_it_no_more(
    device_reports: DeviceReports,
) -> None:
    suite, report = device_reports.after_work
    verdict = judge_pass_exe(suite, report, device_reports.blobs)
    assert (verdict.code, verdict.message.partition(":")[0]) == ("wrong-value", "again")


def test_more_shared_memory_than_there_is_is_refused_before_it_is_launched(
    bench: Bench,
) -> None:
    suite = kernels.suite(
        bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs, shared_bytes=1 << 20)]
    )
    report = bench.report(suite)
    verdict = judge_pass_exe(suite, report, bench.blobs)
    assert (verdict.status, verdict.code) == (Status.UNSUPPORTED, "shared-memory")
    assert report.cases["ordinary"].refused


def test_every_case_is_told_of_by_itself(bench: Bench) -> None:
    cases: list[Case] = [
        kernels.case(Does.WRITES_HALF, bench.blobs, name="first"),
        kernels.case(Does.ITS_WORK, bench.blobs, name="second"),
    ]
    suite = kernels.suite(bench.unit, cases)
    report = bench.report(suite)
    assert judge_pass_exe(suite, report, bench.blobs).message.startswith(
        "first: out[0]"
    )
    assert (
        judge_pass_exe(kernels.suite(bench.unit, cases[1:]), report, bench.blobs).status
        is Status.PASS
    )


def test_an_object_that_is_none_is_not_loaded(bench: Bench) -> None:
    broken = Bench(
        gpu=bench.gpu,
        unit=bench.unit,
        object=b"no object at all" * 8,
        blobs=bench.blobs,
    )
    suite = kernels.suite_of(Does.ITS_WORK, bench.unit, bench.blobs)
    report = broken.report(suite)
    assert judge_pass_exe(suite, report, bench.blobs).code == "not-loadable"
    assert is_object_loaded(report) is False
    assert report.is_healthy


def test_the_health_kernel_is_what_the_device_is_judged_by(bench: Bench) -> None:
    digest = hashlib.sha256(bench.object).hexdigest()
    bench.blobs.put(bench.object)
    suite = kernels.suite_of(Does.ITS_WORK, bench.unit, bench.blobs)
    report = bench.report(suite, RunOptions(seconds=20.0, health=(digest, "nobody")))
    assert not report.is_healthy


def test_many_units_in_one_go_leave_nothing_behind(
    stand_in: Callable[..., Bench],
) -> None:
    bench = stand_in("cuda")
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs)])
    units = [bench.bundle(suite, f"unit-{number}") for number in range(20)]
    reports = run_units(bench.gpu, units, bench.blobs.get, RunOptions(seconds=20.0))
    assert len(reports) == 20
    for report in reports.values():
        assert judge_pass_exe(suite, report, bench.blobs).status is Status.PASS
        assert report.memory
        assert report.memory.before == report.memory.after
        assert report.end
        assert report.end.exit == 0
