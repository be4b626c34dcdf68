"""What every device must make of kernels that do their work, and of kernels that only seem to."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from stand_ins import drivers, kernels
from stand_ins.cpu import told_by_cpu
from stand_ins.kernels import Does

from crawler import sandbox
from crawler.errors import Misconfigured
from crawler.model import Case, Dialect, KernelUnit, Status, Suite, Verdict
from crawler.validate.blobs import Blobs
from crawler.validate.build import build
from crawler.validate.bundle import BundledUnit
from crawler.validate.devices import gpu
from crawler.validate.devices.gpu import RUNTIMES, Gpu, gpus
from crawler.validate.devices.performance import Baseline, pass_perf, performance
from crawler.validate.devices.runs import Wanted, run_units, write_job
from crawler.validate.devices.sanitizer import sanitized
from crawler.validate.devices.told import Told
from crawler.validate.devices.verdicts import loaded, pass_exe
from crawler.validate.entries import Entry
from crawler.validate.runner.carried import carried
from workers import capabilities

pytestmark = pytest.mark.apt
Timed = list[tuple[Suite, Case, Told]]
DIALECTS = {"rocm": Dialect.HIP, "cuda": Dialect.CUDA}


def bare(library: Path, units: Sequence[BundledUnit], blobs: Blobs, folder: Path, wanted: Wanted) -> dict[str, Told]:
    """Run units as on a bare machine: by the file that is carried there, with nothing installed."""
    (folder / "bundle").mkdir()
    (folder / "runner.pyz").write_bytes(carried())
    write_job(units, blobs.get, wanted, folder / "bundle")
    words = [sys.executable, "-I", "-S", folder / "runner.pyz", folder / "bundle", folder / "results", library]
    subprocess.run(words, check=True, capture_output=True)
    return {each.unit: Told(folder / "results" / each.unit) for each in units}


@dataclass
class Bench:
    """A device, and an object that it runs."""

    gpu: Gpu
    unit: KernelUnit
    object: bytes
    blobs: Blobs
    symbols: tuple[str, ...] = tuple(kernels.symbol(does) for does in Does)
    """Of its kernels, as the cases number them."""

    def bundled(self, suite: Suite, name: str = "unit") -> BundledUnit:
        return BundledUnit(
            unit=name,
            kernel_name="k",
            dialect=self.unit.dialect.value,
            target=self.gpu.arch,
            form="code",
            object=self.blobs.put(self.object),
            entries=tuple(Entry(label="", symbol=symbol) for symbol in self.symbols),
            suite=suite,
        )

    def run(self, units: Sequence[BundledUnit], wanted: Wanted) -> dict[str, Told]:
        """Run units in the sandbox; where none works, as in most containers, these kernels of ours without."""
        if sandbox.self_test().works:
            return run_units(self.gpu, units, self.blobs.get, wanted)
        with tempfile.TemporaryDirectory() as folder:
            return bare(self.gpu.library, units, self.blobs, Path(folder), wanted)

    def told(self, suite: Suite, wanted: Wanted | None = None) -> Told:
        return self.run([self.bundled(suite)], wanted or Wanted(seconds=20.0))["unit"]

    def verdict(self, does: Does) -> Verdict:
        suite = kernels.suite_of(does, self.unit, self.blobs)
        return pass_exe(suite, self.told(suite), self.blobs)


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Bench]:
    """A device that stands for one of AMD's or NVIDIA's, and runs the kernels on this CPU."""
    made = drivers.unit_object(kernels.unit(Dialect.CUDA), [kernels.symbol(does) for does in Does])

    def of(runtime: str, **settings: object) -> Bench:
        # a small cache, which is soon emptied
        library = drivers.install(tmp_path_factory.mktemp(runtime) / "driver", runtime, **{"l2": 1 << 20, **settings})
        library.parent.parent.chmod(0o755)
        arch = "gfx90a" if runtime == "rocm" else "sm_90"
        gpu = Gpu(runtime=runtime, index=0, name="a stand-in", arch=arch, library=library)
        return Bench(gpu=gpu, unit=kernels.unit(DIALECTS[runtime]), object=made, blobs=Blobs())

    return of


def real(runtime: str) -> Bench:
    found = gpus(runtime)
    if not found:
        pytest.skip(f"no GPU of {runtime} here")
    unit = kernels.unit(DIALECTS[runtime])
    made = build(unit, found[0].arch)
    assert made.object, made.build.pass_call
    return Bench(gpu=found[0], unit=unit, object=made.object, blobs=Blobs())


@pytest.fixture(
    params=[*RUNTIMES, *(pytest.param(f"real {runtime}", marks=pytest.mark.gpu) for runtime in RUNTIMES)],
    scope="module",
)
def bench(request: pytest.FixtureRequest, stand_in: Callable[..., Bench]) -> Bench:
    what, _, runtime = str(request.param).rpartition(" ")
    return real(runtime) if what else stand_in(runtime)


@dataclass
class Ran:
    """What came of every kernel, one after another on one device."""

    told: dict[Does, tuple[Suite, Told]]
    again: tuple[Suite, Told]
    """Of a kernel that does nothing where one that did its work was before."""
    blobs: Blobs

    def verdict(self, does: Does) -> Verdict:
        suite, told = self.told[does]
        return pass_exe(suite, told, self.blobs)


DEVICES = ["cpu", *RUNTIMES, *(pytest.param(f"real {runtime}", marks=pytest.mark.gpu) for runtime in RUNTIMES)]


@pytest.fixture(params=DEVICES, scope="module")
def ran(
    request: pytest.FixtureRequest, stand_in: Callable[..., Bench], tmp_path_factory: pytest.TempPathFactory
) -> Ran:
    what, _, runtime = str(request.param).rpartition(" ")
    if runtime == "cpu":
        unit, blobs = kernels.unit(Dialect.CUDA), Blobs()
        suites = [*(kernels.suite_of(does, unit, blobs) for does in Does), nothing_after_work(unit, blobs)]
        on_cpu = told_by_cpu(unit, suites, blobs, tmp_path_factory.mktemp("cpu"), seconds=1.0)
        *each, again = zip(suites, on_cpu, strict=True)
        return Ran(dict(zip(Does, each, strict=True)), again, blobs)
    bench = real(runtime) if what else stand_in(runtime)
    made = {does: kernels.suite_of(does, bench.unit, bench.blobs) for does in Does}
    after = nothing_after_work(bench.unit, bench.blobs)
    units = [bench.bundled(suite, does.name) for does, suite in made.items()]
    told = bench.run([*units, bench.bundled(after, "again")], Wanted(seconds=3.0))
    each_told = {does: (suite, told[does.name]) for does, suite in made.items()}
    return Ran(each_told, (after, told["again"]), bench.blobs)


def nothing_after_work(unit: KernelUnit, blobs: Blobs) -> Suite:
    cases = [kernels.case(Does.ITS_WORK, blobs), kernels.case(Does.NOTHING, blobs, name="again")]
    return kernels.suite(unit, cases)


def test_a_kernel_that_does_its_work_passes_on_every_device(ran: Ran) -> None:
    assert ran.verdict(Does.ITS_WORK) == Verdict(status=Status.PASS)
    assert loaded(ran.told[Does.ITS_WORK][1]) is True


def test_a_device_tells_of_itself_and_gets_its_memory_back(bench: Bench) -> None:
    told = bench.told(kernels.suite_of(Does.ITS_WORK, bench.unit, bench.blobs))
    assert told.healthy
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
        (Does.TRAPS, {"launch-failed", "assertion", "illegal-instruction", "device-fault", "driver-error"}),
        (Does.NEVER_ENDS, {"timeout", "launch-timeout"}),
    ],
)
def test_a_kernel_that_only_seems_to_work_does_not_pass(ran: Ran, does: Does, codes: set[str]) -> None:
    verdict = ran.verdict(does)
    assert verdict.status is Status.FAIL
    assert verdict.message
    assert verdict.code in codes
    # whatever it did, the next one finds the device as it ought to be
    assert ran.told[does][1].healthy


def test_globals_begin_anew_with_each_launch(ran: Ran) -> None:
    assert ran.verdict(Does.SEES_ITS_LAST_RUN).status is Status.PASS


def test_memory_that_held_the_answer_holds_it_no_more(ran: Ran) -> None:
    suite, told = ran.again
    verdict = pass_exe(suite, told, ran.blobs)
    assert (verdict.code, verdict.message.partition(":")[0]) == ("wrong-value", "again")


def test_more_shared_memory_than_there_is_is_refused_before_it_is_launched(bench: Bench) -> None:
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs, shared_bytes=1 << 20)])
    told = bench.told(suite)
    verdict = pass_exe(suite, told, bench.blobs)
    assert (verdict.status, verdict.code) == (Status.UNSUPPORTED, "shared-memory")
    assert told.cases["ordinary"].refused


def test_every_case_is_told_of_by_itself(bench: Bench) -> None:
    cases: list[Case] = [
        kernels.case(Does.WRITES_HALF, bench.blobs, name="first"),
        kernels.case(Does.ITS_WORK, bench.blobs, name="second"),
    ]
    suite = kernels.suite(bench.unit, cases)
    told = bench.told(suite)
    assert pass_exe(suite, told, bench.blobs).message.startswith("first: out[0]")
    assert pass_exe(kernels.suite(bench.unit, cases[1:]), told, bench.blobs).status is Status.PASS


def test_an_object_that_is_none_is_not_loaded(bench: Bench) -> None:
    other = Bench(gpu=bench.gpu, unit=bench.unit, object=b"no object at all" * 8, blobs=bench.blobs)
    suite = kernels.suite_of(Does.ITS_WORK, bench.unit, bench.blobs)
    told = other.told(suite)
    assert pass_exe(suite, told, bench.blobs).code == "not-loadable"
    assert loaded(told) is False
    assert told.healthy


def test_the_health_kernel_is_what_the_device_is_judged_by(bench: Bench) -> None:
    digest = hashlib.sha256(bench.object).hexdigest()
    bench.blobs.put(bench.object)
    suite = kernels.suite_of(Does.ITS_WORK, bench.unit, bench.blobs)
    told = bench.told(suite, Wanted(seconds=20.0, health=(digest, "nobody")))
    assert not told.healthy


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_no_device_is_skipped(stand_in: Callable[..., Bench], runtime: str) -> None:
    bench = stand_in(runtime)
    (bench.gpu.library.parent / "device.txt").unlink()
    verdict = bench.verdict(Does.ITS_WORK)
    assert (verdict.status, verdict.code) == (Status.SKIPPED, "no-device")


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_no_driver_is_skipped(stand_in: Callable[..., Bench], runtime: str) -> None:
    bench = stand_in(runtime)
    bench.gpu.library.unlink()
    verdict = bench.verdict(Does.ITS_WORK)
    assert (verdict.status, verdict.code) == (Status.SKIPPED, "no-driver")


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_driver_that_fails_in_silence_does_not_pass(stand_in: Callable[..., Bench], runtime: str) -> None:
    assert stand_in(runtime, silent=1).verdict(Does.ITS_WORK).code == "wrong-value"


def test_a_library_that_ends_its_process_costs_that_process(stand_in: Callable[..., Bench]) -> None:
    bench = stand_in("rocm", aborts=1)
    suite = kernels.suite_of(Does.LEAVES_MEMORY, bench.unit, bench.blobs)
    told = bench.told(suite)
    assert pass_exe(suite, told, bench.blobs).code == "device-fault"
    assert told.healthy


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_device_with_too_little_memory_is_no_failure_of_the_kernel(
    stand_in: Callable[..., Bench], runtime: str
) -> None:
    verdict = stand_in(runtime, memory=1 << 14).verdict(Does.ITS_WORK)
    assert (verdict.status, verdict.code) == (Status.UNSUPPORTED, "device-memory")


CALLS = (
    *("Init", "GetDeviceCount", "SetDevice", "MemGetInfo", "Malloc", "MemcpyHtoD", "ModuleLoadData"),
    *("ModuleGetFunction", "FuncGetAttribute", "ModuleLaunchKernel", "DeviceSynchronize", "MemcpyDtoH"),
)


@pytest.mark.parametrize("call", CALLS)
def test_what_the_driver_refuses_is_told_and_never_passes(
    stand_in: Callable[..., Bench], tmp_path: Path, call: str
) -> None:
    bench = stand_in("rocm", fail=f"{call}:1:719")
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs)])
    told = bare(bench.gpu.library, [bench.bundled(suite)], bench.blobs, tmp_path, Wanted(seconds=20.0))["unit"]
    verdict = pass_exe(suite, told, bench.blobs)
    assert verdict.status is not Status.PASS
    assert verdict.code


TIMED = Wanted(seconds=20.0, timing={"launches": 60, "warm_ups": 3, "seconds": 10.0}, case="ordinary")


@pytest.fixture(scope="module")
def timed(bench: Bench) -> Timed:
    """A kernel that does its work, and one that does so only as long as nobody seems to look, both timed."""
    cases = [kernels.case(does, bench.blobs) for does in (Does.ITS_WORK, Does.WORKS_THREE_TIMES)]
    units = [bench.bundled(kernels.suite(bench.unit, [case]), str(number)) for number, case in enumerate(cases)]
    told = bench.run(units, TIMED)
    return [(units[number].suite, case, told[str(number)]) for number, case in enumerate(cases)]


def test_a_kernel_is_timed_by_many_launches(bench: Bench, timed: Timed) -> None:
    _, case, told = timed[0]
    measured = performance(case, told, bench.blobs)
    assert measured
    assert measured.launches >= 50
    assert 0 < measured.median_ms <= measured.host_ms
    assert measured.bytes_moved == 800
    assert measured.bandwidth > 0
    assert told.timing
    assert told.timing.checked >= 50
    verdict = pass_perf(case, told, bench.blobs)
    assert verdict
    assert (verdict.status, verdict.code) == (Status.SKIPPED, "no-baseline")


@pytest.mark.parametrize(("milliseconds", "status"), [(1e6, Status.PASS), (1e-6, Status.FAIL)])
def test_a_time_is_held_against_a_baseline(bench: Bench, timed: Timed, milliseconds: float, status: Status) -> None:
    _, case, told = timed[0]
    verdict = pass_perf(case, told, bench.blobs, Baseline(milliseconds=milliseconds, source="a project"))
    assert verdict
    assert verdict.status is status
    assert "a project" in verdict.message


def test_work_that_is_done_only_at_first_is_no_work(bench: Bench, timed: Timed) -> None:
    suite, case, told = timed[1]
    assert pass_exe(suite, told, bench.blobs).status is Status.PASS
    verdict = pass_perf(case, told, bench.blobs, Baseline(milliseconds=1e6, source="a project"))
    assert verdict
    assert (verdict.status, verdict.code) == (Status.FAIL, "timed-wrong")


def raw(stand_in: Callable[..., Bench], name: str, runtime: str = "rocm", **settings: object) -> Bench:
    """A device whose one kernel does as no compiler would let it."""
    bench = stand_in(runtime, **settings)
    return replace(bench, object=drivers.raw_object(), symbols=(name,))


@dataclass
class Raw:
    """Kernels that no compiler would make, each run and timed, all in one go."""

    told: dict[str, Told]
    suite: Suite
    blobs: Blobs

    def codes(self, name: str) -> tuple[str, str]:
        """What is said of its outputs, and of its time where two milliseconds are fast enough."""
        told, baseline = self.told[name], Baseline(milliseconds=2.0, source="a project")
        timed = pass_perf(self.suite.cases[0], told, self.blobs, baseline)
        assert timed
        return pass_exe(self.suite, told, self.blobs).code, timed.code


RAW = ("honest", "aside", "cached", "slow", "side", "looks")


@pytest.fixture(scope="module", params=RUNTIMES)
def raws(request: pytest.FixtureRequest, stand_in: Callable[..., Bench]) -> Raw:
    made = raw(stand_in, "", str(request.param))
    suite = kernels.suite(made.unit, [kernels.case(Does.ITS_WORK, made.blobs)])
    units = [replace(made, symbols=(name,)).bundled(suite, name) for name in RAW]
    return Raw(made.run(units, TIMED), suite, made.blobs)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("honest", [("", "")]),
        # it returns before it is done
        ("aside", [("wrong-value", "timed-wrong"), ("late-write", "timed-wrong")]),
        # what it was given once, it takes as done
        ("cached", [("", "timed-wrong")]),
        # it sleeps while it is timed
        ("slow", [("", "slower")]),
        # events do not see what the whole device does
        ("side", [("", "clock-mismatch")]),
        # a launch that had found the golden outputs would have failed
        ("looks", [("wrong-value", "timed-wrong")]),
    ],
)
def test_what_no_compiler_would_make_does_not_pass_either(raws: Raw, name: str, codes: list[tuple[str, str]]) -> None:
    assert raws.codes(name) in codes


@pytest.mark.parametrize(
    ("name", "scale", "code"),
    [("honest", "1e-6", "impossible"), ("slow", "1e-2", "clock-mismatch"), ("honest", "1000", "clock-mismatch")],
)
def test_times_that_cannot_be_are_refused(stand_in: Callable[..., Bench], name: str, scale: str, code: str) -> None:
    bench = raw(stand_in, name, timescale=scale)
    case = kernels.case(Does.ITS_WORK, bench.blobs)
    told = bench.told(kernels.suite(bench.unit, [case]), TIMED)
    verdict = pass_perf(case, told, bench.blobs, Baseline(milliseconds=1e6, source="a project"))
    assert verdict
    assert (verdict.status, verdict.code) == (Status.FAIL, code)
    # what seems to take less than 20 microseconds is measured together, each launch on memory of its own
    assert told.timing
    assert (told.timing.batch > 1) is (scale == "1e-6")


def test_a_kernels_own_shared_memory_counts(stand_in: Callable[..., Bench]) -> None:
    bench = raw(stand_in, "hoards")
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs, shared_bytes=30 << 10)])
    assert pass_exe(suite, bench.told(suite), bench.blobs).code == "shared-memory"


def test_many_units_in_one_go_leave_nothing_behind(stand_in: Callable[..., Bench]) -> None:
    bench = stand_in("cuda")
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs)])
    units = [bench.bundled(suite, f"unit-{number}") for number in range(20)]
    told = run_units(bench.gpu, units, bench.blobs.get, Wanted(seconds=20.0))
    assert len(told) == 20
    for each in told.values():
        assert pass_exe(suite, each, bench.blobs).status is Status.PASS
        assert each.memory
        assert each.memory.before == each.memory.after
        assert each.end
        assert each.end.exit == 0


SANITIZER = """#!/bin/sh
# stands for NVIDIA's: it runs what it is given, and says what its folder has for the tool
while :; do
  case $1 in
    --tool) tool=$2 ;;
    --log-file) log=$(echo "$2" | sed "s/%p/$$/") ;;
    --*) ;;
    *) break ;;
  esac
  shift 2
done
"$@" || exit 1
[ ! -f /results/unit/report ] || cat "$(dirname "$0")/$tool.log" > "$log"
"""
CLEAN = """========= COMPUTE-SANITIZER
========= {} SUMMARY: 0 hazards displayed (0 errors, 0 warnings)
"""
INVALID = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at k(float *, int)+0x70
=========     by thread (3,0,0) in block (0,0,0)
=========     Address 0x7f1d5ba00190 is out of bounds
=========
========= ERROR SUMMARY: 1 error
"""
HAZARD = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at k(float *, int)+0x30
=========     and Read access at k(float *, int)+0x90 [124 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""


@pytest.mark.parametrize(
    ("logs", "looked", "code", "message"),
    [
        ({"memcheck": CLEAN.format("ERROR"), "racecheck": CLEAN.format("RACECHECK")}, 2, "", ""),
        (
            {"memcheck": INVALID},
            1,
            "sanitizer-memcheck",
            "Invalid __global__ write of size 4 bytes: at k(float *, int)",
        ),
        ({"memcheck": CLEAN.format("ERROR"), "racecheck": HAZARD}, 2, "sanitizer-racecheck", "Race reported between"),
        # one that cannot work here, as under a driver that it does not know, has looked at nothing
        ({"memcheck": "========= Error: unable to launch the target application\n"}, 0, "", ""),
    ],
)
def test_what_a_sanitizer_finds_fails_and_what_it_did_not_look_at_is_not_claimed(
    stand_in: Callable[..., Bench],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    logs: dict[str, str],
    looked: int,
    code: str,
    message: str,
) -> None:
    bench = stand_in("cuda")
    tmp_path.chmod(0o755)
    for name, text in {"compute-sanitizer": SANITIZER, **{f"{tool}.log": log for tool, log in logs.items()}}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs)])
    found = sanitized(bench.gpu, bench.bundled(suite), bench.blobs.get, Wanted(seconds=20.0))
    assert found.looked == ("memcheck", "racecheck")[:looked]
    assert (found.verdict.code if found.verdict else "") == code
    assert message in (found.verdict.message if found.verdict else "")
    # there is none for AMD's devices
    assert sanitized(replace(bench.gpu, runtime="rocm"), bench.bundled(suite), bench.blobs.get, Wanted()).looked == ()


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_device_whose_memory_does_not_hold_what_is_written_is_not_offered(
    stand_in: Callable[..., Bench], runtime: str
) -> None:
    working, broken = stand_in(runtime), stand_in(runtime, fail="MemcpyDtoH:1:719")
    assert [each.arch for each in gpu._probed(runtime, working.gpu.library)] == [working.gpu.arch]
    assert gpu._probed(runtime, broken.gpu.library) == ()


def test_a_worker_serves_its_own_gpu_alone(stand_in: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch) -> None:
    both = stand_in("rocm", devices=2)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(both.gpu.library.parent))
    assert [each.index for each in gpus("rocm")] == [0, 1]
    assert capabilities.served_by_gpu(1) == ("validate.rocm.gfx90a",)
    with pytest.raises(Misconfigured, match="no GPU 2"):
        capabilities.served_by_gpu(2)
    for name, value in gpus("rocm")[1].environment.items():
        monkeypatch.setenv(name, value)
    assert [each.index for each in gpus("rocm")] == [1]
    with pytest.raises(Misconfigured, match="no GPU 0"):
        capabilities.served_by_gpu(0)
