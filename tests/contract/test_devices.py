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
from tests.stand_ins.bench import Bench, real
from tests.stand_ins.cpu import told_by_cpu
from tests.stand_ins.kernels import Does

pytestmark = pytest.mark.apt


@dataclass
class Ran:
    """What came of every kernel, one after another on one device."""

    told: dict[Does, tuple[Suite, RunnerReport]]
    again: tuple[Suite, RunnerReport]
    """Of a kernel that does nothing where one that did its work was before."""
    blobs: Blobs

    def verdict(self, does: Does) -> Verdict:
        suite, told = self.told[does]
        return judge_pass_exe(suite, told, self.blobs)


DEVICES = [
    "cpu",
    *RUNTIMES,
    *(pytest.param(f"real {runtime}", marks=pytest.mark.gpu) for runtime in RUNTIMES),
]


@pytest.fixture(params=DEVICES, scope="module")
def ran(
    request: pytest.FixtureRequest,
    stand_in: Callable[..., Bench],
    tmp_path_factory: pytest.TempPathFactory,
) -> Ran:
    what, _, runtime = str(request.param).rpartition(" ")
    if runtime == "cpu":
        unit, blobs = kernels.unit(Dialect.CUDA), Blobs()
        suites = [
            *(kernels.suite_of(does, unit, blobs) for does in Does),
            nothing_after_work(unit, blobs),
        ]
        on_cpu = told_by_cpu(
            unit, suites, blobs, tmp_path_factory.mktemp("cpu"), seconds=1.0
        )
        *each, again = zip(suites, on_cpu, strict=True)
        return Ran(dict(zip(Does, each, strict=True)), again, blobs)
    bench = real(runtime) if what else stand_in(runtime)
    made = {does: kernels.suite_of(does, bench.unit, bench.blobs) for does in Does}
    after = nothing_after_work(bench.unit, bench.blobs)
    units = [bench.bundled(suite, does.name) for does, suite in made.items()]
    told = bench.run([*units, bench.bundled(after, "again")], RunOptions(seconds=3.0))
    each_told = {does: (suite, told[does.name]) for does, suite in made.items()}
    return Ran(each_told, (after, told["again"]), bench.blobs)


def nothing_after_work(unit: KernelUnit, blobs: Blobs) -> Suite:
    cases = [
        kernels.case(Does.ITS_WORK, blobs),
        kernels.case(Does.NOTHING, blobs, name="again"),
    ]
    return kernels.suite(unit, cases)


def test_a_kernel_that_does_its_work_passes_on_every_device(ran: Ran) -> None:
    assert ran.verdict(Does.ITS_WORK) == Verdict(status=Status.PASS)
    assert is_object_loaded(ran.told[Does.ITS_WORK][1]) is True


def test_a_device_tells_of_itself_and_gets_its_memory_back(bench: Bench) -> None:
    told = bench.told(kernels.suite_of(Does.ITS_WORK, bench.unit, bench.blobs))
    assert told.is_healthy
    assert told.memory
    assert told.memory.before == told.memory.after > 0
    assert told.device
    assert told.device.arch == bench.gpu.arch


@pytest.mark.parametrize(
    ("does", "codes"),
    [
        (Does.NOTHING, {"wrong-value"}),
        (Does.A_CONSTANT, {"wrong-value"}),
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
    ran: Ran, does: Does, codes: set[str]
) -> None:
    verdict = ran.verdict(does)
    assert verdict.status is Status.FAIL
    assert verdict.message
    assert verdict.code in codes
    # whatever it did, the next one finds the device as it ought to be
    assert ran.told[does][1].is_healthy


def test_globals_begin_anew_with_each_launch(ran: Ran) -> None:
    assert ran.verdict(Does.SEES_ITS_LAST_RUN).status is Status.PASS


def test_memory_that_held_the_answer_holds_it_no_more(ran: Ran) -> None:
    suite, told = ran.again
    verdict = judge_pass_exe(suite, told, ran.blobs)
    assert (verdict.code, verdict.message.partition(":")[0]) == ("wrong-value", "again")


def test_more_shared_memory_than_there_is_is_refused_before_it_is_launched(
    bench: Bench,
) -> None:
    suite = kernels.suite(
        bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs, shared_bytes=1 << 20)]
    )
    told = bench.told(suite)
    verdict = judge_pass_exe(suite, told, bench.blobs)
    assert (verdict.status, verdict.code) == (Status.UNSUPPORTED, "shared-memory")
    assert told.cases["ordinary"].refused


def test_every_case_is_told_of_by_itself(bench: Bench) -> None:
    cases: list[Case] = [
        kernels.case(Does.WRITES_HALF, bench.blobs, name="first"),
        kernels.case(Does.ITS_WORK, bench.blobs, name="second"),
    ]
    suite = kernels.suite(bench.unit, cases)
    told = bench.told(suite)
    assert judge_pass_exe(suite, told, bench.blobs).message.startswith("first: out[0]")
    assert (
        judge_pass_exe(kernels.suite(bench.unit, cases[1:]), told, bench.blobs).status
        is Status.PASS
    )


def test_an_object_that_is_none_is_not_loaded(bench: Bench) -> None:
    other = Bench(
        gpu=bench.gpu,
        unit=bench.unit,
        object=b"no object at all" * 8,
        blobs=bench.blobs,
    )
    suite = kernels.suite_of(Does.ITS_WORK, bench.unit, bench.blobs)
    told = other.told(suite)
    assert judge_pass_exe(suite, told, bench.blobs).code == "not-loadable"
    assert is_object_loaded(told) is False
    assert told.is_healthy


def test_the_health_kernel_is_what_the_device_is_judged_by(bench: Bench) -> None:
    digest = hashlib.sha256(bench.object).hexdigest()
    bench.blobs.put(bench.object)
    suite = kernels.suite_of(Does.ITS_WORK, bench.unit, bench.blobs)
    told = bench.told(suite, RunOptions(seconds=20.0, health=(digest, "nobody")))
    assert not told.is_healthy


def test_many_units_in_one_go_leave_nothing_behind(
    stand_in: Callable[..., Bench],
) -> None:
    bench = stand_in("cuda")
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs)])
    units = [bench.bundled(suite, f"unit-{number}") for number in range(20)]
    told = run_units(bench.gpu, units, bench.blobs.get, RunOptions(seconds=20.0))
    assert len(told) == 20
    for each in told.values():
        assert judge_pass_exe(suite, each, bench.blobs).status is Status.PASS
        assert each.memory
        assert each.memory.before == each.memory.after
        assert each.end
        assert each.end.exit == 0
