"""A batch of kernels on a GPU: what each run is held against, and what becomes of a device that
is lost to one.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from crawler import codec
from crawler.model import (
    Behaviour,
    Build,
    Case,
    CaseKind,
    Kernel,
    KernelUnit,
    Performance,
    Run,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.validate.devices.device_validation import DeviceValidation
from crawler.validate.devices.gpu_detection import Gpu
from crawler.validate.devices.unit_runs import RunOptions
from crawler.validate.values.blobs import Blobs
from storage.ledger.interface import Claim, Stage, TaskSpec
from storage.open import Storage
from tests.plain import plain_kernel, plain_unit
from workers.execution.task_worker import TaskWorker
from workers.stages import validate_device
from workers.tasks.cpu_batches import make_cpu_batches
from workers.tasks.payloads import DevicePayload, RunPayload
from workers.tasks.task_specs import make_task_spec, store_json
from workers.workspace.task_workspace import Workspace

H200 = Gpu(
    runtime="cuda",
    index=0,
    name="NVIDIA H200",
    arch="sm_90",
    library=Path("/lib/none.so"),
)
CASE = Case(name="ordinary", kind=CaseKind.ORDINARY, grid=(1, 1, 1), block=(1, 1, 1))
TIMED = Performance(
    case="ordinary",
    launches=60,
    median_ms=2.0,
    spread=0.01,
    host_ms=2.1,
    batch=1,
    bytes_moved=8,
    bandwidth=1.0,
    share=None,
    floor_ms=0.0,
)
NAMES = ("first", "poison", "last")


class Devices:
    """Stands for GPUs: keeps what was run on them, and is lost to one kernel."""

    def __init__(self, poison: str = "") -> None:
        self.poison = poison
        self.ran: list[str] = []
        self.wanted: list[RunOptions] = []

    def __call__(
        self,
        gpu: Gpu,
        unit: KernelUnit,
        suite: Suite,
        blobs: Blobs,
        cpu: Run,
        options: RunOptions,
    ) -> DeviceValidation:
        self.ran.append(unit.kernel_name)
        self.wanted.append(options)
        lost = unit.kernel_name == self.poison
        verdict = (
            Verdict(status=Status.FAIL, code="timeout")
            if lost
            else Verdict(status=Status.PASS)
        )
        run = replace(
            cpu,
            unit=unit.digest,
            device=gpu.device,
            details=gpu.details,
            pass_exe=verdict,
            pass_perf=Verdict(status=Status.SKIPPED, code="no-baseline"),
            performance=TIMED,
        )
        made = [
            Build(
                unit=unit.digest,
                target="sm_90",
                toolchain=Toolchain(compiler=name, digest=name),
                pass_call=verdict,
            )
            for name in ("nvcc", "clang")
        ]
        return DeviceValidation(run=run, builds=tuple(made), is_healthy=not lost)


def batch(storage: Storage, device: str = "cuda:sm_90") -> TaskSpec:
    """A task for a GPU, whose kernels have cases."""
    kernels: list[Kernel] = []
    runs: list[Run] = []
    for name in NAMES:
        unit = plain_unit(f"__global__ void {name}() {{}}", kernel_name=name)
        suite = Suite(unit=unit.digest, seed=0, cases=(CASE,))
        kernels.append(plain_kernel(unit))
        storage.blobs.put(unit.source.encode())
        suite_digest = storage.blobs.put(codec.encode(suite))
        verdict = Verdict(status=Status.CONSISTENT)
        runs.append(
            Run(
                unit=unit.digest,
                device="cpu",
                toolchain=Toolchain(compiler="clang"),
                pass_exe=verdict,
                behaviour=Behaviour.DETERMINISTIC,
                suite=suite_digest,
            )
        )
    (of_cpu,) = make_cpu_batches(kernels, "s", storage.blobs, "some")
    stored = codec.decode(of_cpu.payload, RunPayload).kernels
    payload = DevicePayload(
        kernels=stored, runs=store_json(storage.blobs, tuple(runs)), device=device
    )
    return make_task_spec(Stage.VALIDATE_DEVICE, payload, "some", device=device)


def claim_task(storage: Storage, task: TaskSpec) -> Claim:
    storage.ledger.open_crawl(("x",), (task,))
    claim = storage.ledger.claim("me", (task.stage,), 60)
    assert claim
    return claim


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> Devices:
    made = Devices()
    monkeypatch.setattr(validate_device, "find_gpu", lambda _: H200)
    monkeypatch.setattr(validate_device, "run_on_gpu", made)
    return made


def test_the_second_time_is_held_against_the_first(
    storage: Storage, workspace: Workspace, devices: Devices
) -> None:
    claim = claim_task(storage, batch(storage))
    validate_device.run(claim, storage, workspace)
    assert [options.baseline for options in devices.wanted] == [None] * 3
    validate_device.run(claim, storage, workspace)
    baselines = [options.baseline for options in devices.wanted[3:]]
    assert [baseline.milliseconds for baseline in baselines if baseline] == [2.0] * 3
    assert all(options.timing for options in devices.wanted)


def test_of_two_compilers_the_vendors_own_is_the_newest(
    storage: Storage, workspace: Workspace, devices: Devices
) -> None:
    validate_device.run(claim_task(storage, batch(storage)), storage, workspace)
    with storage.engine.connect() as connection:
        compilers = (
            connection.exec_driver_sql("SELECT compiler FROM build ORDER BY id")
            .scalars()
            .all()
        )
    assert compilers == ["clang", "nvcc"] * 3


def test_a_device_that_is_lost_stops_its_worker_and_its_task_returns(
    storage: Storage, workspace: Workspace, devices: Devices
) -> None:
    devices.poison = "poison"
    crawl = storage.ledger.open_crawl(("x",), (batch(storage),))
    events: list[str] = []
    worker = TaskWorker(
        storage=storage,
        workspace=workspace,
        on_event=lambda event: events.append(f"{event.state} {event.code}"),
    )

    def serve() -> bool:
        claim = storage.ledger.claim("me", (Stage.VALIDATE_DEVICE,), 60)
        assert claim
        return worker.run_task(claim)

    assert serve()
    assert events == ["stopped device-lost"]
    assert devices.ran == ["first", "poison"]
    # nobody serves its queue now, which is said, and the verdict of the one that it was lost to
    # is kept
    assert storage.ledger.count_unfinished(crawl) == 1
    assert storage.worker_registry.blocked_queues(crawl) == {"validate.cuda.sm_90": 1}
    with storage.engine.connect() as connection:
        assert connection.exec_driver_sql(
            "SELECT exe_code FROM run ORDER BY id"
        ).scalars().all() == ["", "timeout"]
    # one device may have been at fault by itself: another tries; a third is not lost to the
    # same kernel
    assert serve()
    assert not serve()
    assert devices.ran[4:] == ["first", "last"]
    assert events[2:] == ["done "]
    (result,) = [
        json.loads(text)
        for _, text in storage.ledger.results(Stage.VALIDATE_DEVICE, crawl)
    ]
    assert result == {"device": "cuda:sm_90", "pass": 2, "device-lost": 1}
    assert storage.ledger.count_unfinished(crawl) == 0


def test_without_a_device_all_are_skipped(
    storage: Storage, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validate_device, "find_gpu", lambda _: None)
    claim = claim_task(storage, batch(storage, "rocm:gfx9ff"))
    outcome = validate_device.run(claim, storage, workspace)
    assert json.loads(outcome.result) == {"device": "rocm:gfx9ff", "skipped": 3}
    with storage.engine.connect() as connection:
        assert set(
            connection.exec_driver_sql("SELECT exe_code FROM run").scalars()
        ) == {"no-device"}
