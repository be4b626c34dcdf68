"""What is said where a driver, a device or its memory is not as it should be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from crawler.model import Status
from crawler.validate.devices import gpu_detection
from crawler.validate.devices.gpu_detection import RUNTIMES, detect_gpus
from crawler.validate.devices.judgement.execution_verdict import judge_pass_exe
from crawler.validate.devices.unit_runs import RunOptions
from tests.stand_ins import kernels
from tests.stand_ins.bench import Bench, build_raw_bench, run_bare
from tests.stand_ins.kernels import Does
from workers.cluster import capabilities

pytestmark = pytest.mark.apt


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
def test_a_driver_that_fails_in_silence_does_not_pass(
    stand_in: Callable[..., Bench], runtime: str
) -> None:
    assert stand_in(runtime, silent=1).verdict(Does.ITS_WORK).code == "wrong-value"


def test_a_library_that_ends_its_process_costs_that_process(
    stand_in: Callable[..., Bench],
) -> None:
    bench = stand_in("rocm", aborts=1)
    suite = kernels.suite_of(Does.LEAVES_MEMORY, bench.unit, bench.blobs)
    report = bench.report(suite)
    assert judge_pass_exe(suite, report, bench.blobs).code == "device-fault"
    assert report.is_healthy


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_device_with_too_little_memory_is_no_failure_of_the_kernel(
    stand_in: Callable[..., Bench], runtime: str
) -> None:
    verdict = stand_in(runtime, memory=1 << 14).verdict(Does.ITS_WORK)
    assert (verdict.status, verdict.code) == (Status.UNSUPPORTED, "device-memory")


CALLS = (
    *(
        "Init",
        "GetDeviceCount",
        "SetDevice",
        "MemGetInfo",
        "Malloc",
        "MemcpyHtoD",
        "ModuleLoadData",
    ),
    *(
        "ModuleGetFunction",
        "FuncGetAttribute",
        "ModuleLaunchKernel",
        "DeviceSynchronize",
        "MemcpyDtoH",
    ),
)


@pytest.mark.parametrize("call", CALLS)
def test_what_the_driver_refuses_is_told_and_never_passes(
    stand_in: Callable[..., Bench], tmp_path: Path, call: str
) -> None:
    bench = stand_in("rocm", fail=f"{call}:1:719")
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs)])
    report = run_bare(
        bench.gpu.library,
        [bench.bundle(suite)],
        bench.blobs,
        tmp_path,
        RunOptions(seconds=20.0),
    )["unit"]
    verdict = judge_pass_exe(suite, report, bench.blobs)
    assert verdict.status is not Status.PASS
    assert verdict.code


def test_a_kernels_own_shared_memory_counts(stand_in: Callable[..., Bench]) -> None:
    bench = build_raw_bench(stand_in, "hoards")
    suite = kernels.suite(
        bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs, shared_bytes=30 << 10)]
    )
    assert (
        judge_pass_exe(suite, bench.report(suite), bench.blobs).code == "shared-memory"
    )


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_device_whose_memory_does_not_hold_what_is_written_is_not_offered(
    stand_in: Callable[..., Bench], runtime: str
) -> None:
    working = stand_in(runtime)
    broken = stand_in(runtime, fail="MemcpyDtoH:1:719")
    assert [
        gpu.arch for gpu in gpu_detection.probe_gpus(runtime, working.gpu.library)
    ] == [working.gpu.arch]
    assert gpu_detection.probe_gpus(runtime, broken.gpu.library) == ()


def test_a_worker_serves_its_own_gpu_alone(
    stand_in: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    both = stand_in("rocm", devices=2)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(both.gpu.library.parent))
    assert [gpu.index for gpu in detect_gpus("rocm")] == [0, 1]
    assert capabilities.servable_gpu_queues(1) == ("validate.rocm.gfx90a",)
    with pytest.raises(Misconfigured, match="no GPU 2"):
        capabilities.servable_gpu_queues(2)
    for name, value in detect_gpus("rocm")[1].environment.items():
        monkeypatch.setenv(name, value)
    assert [gpu.index for gpu in detect_gpus("rocm")] == [1]
    with pytest.raises(Misconfigured, match="no GPU 0"):
        capabilities.servable_gpu_queues(0)
