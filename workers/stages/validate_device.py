"""Stage `validate.device`: run a batch of kernels on a GPU with the cases of their CPU runs."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.errors import Misconfigured, PortFailed
from crawler.model import (
    Dialect,
    Kernel,
    KernelUnit,
    Run,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.port.port import port_unit
from crawler.validate.bundle.manifest import golden_digests, input_digests
from crawler.validate.devices.device_validation import (
    RUNTIME_DIALECTS,
    DeviceValidation,
    run_on_gpu,
)
from crawler.validate.devices.gpu_detection import Gpu, explain_missing_gpu, find_gpu
from crawler.validate.devices.unit_runs import RunOptions
from crawler.validate.devices.version import VERSION
from crawler.validate.values.blobs import Blobs
from storage.ledger.interface import Claim, Outcome
from workers.reuse.timing_baselines import find_baseline, remember_first_baseline
from workers.tasks.cpu_batches import load_stored_kernels
from workers.tasks.payloads import DevicePayload
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

_MOST_LOST: Final = 2
"""Devices that one unit may cost: it is not run on a third, and keeps the verdict that it got."""
_TIMED: Final = RunOptions(timing={"launches": 60, "warm_ups": 5, "seconds": 5.0})


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Run each kernel that has cases, and keep what came of it at once; without the device each
    is skipped.

    Raises `Misconfigured` where the device does no more as it ought to: the worker stops, its
    task returns.
    """
    payload = decode(claim.payload, DevicePayload)
    on_cpu = decode(storage.blobs.get(payload.runs), tuple[Run, ...])
    gpu = find_gpu(payload.device)
    statuses: Counter[str] = Counter()
    for kernel, cpu in zip(
        load_stored_kernels(storage.blobs, payload.kernels), on_cpu, strict=True
    ):
        if not cpu.suite:
            statuses["no-cases"] += 1
        elif gpu and count_devices_lost(storage, gpu.device, cpu) >= _MOST_LOST:
            statuses["device-lost"] += 1
        else:
            done = _done(
                storage, gpu, kernel, cpu, payload.device, workspace.settings.baselines
            )
            statuses[done.run.pass_exe.status.value] += 1
    return Outcome(result=encode({"device": payload.device, **statuses}).decode())


def _done(
    storage: Storage,
    gpu: Gpu | None,
    kernel: Kernel,
    cpu: Run,
    device: str,
    baselines: Path | None,
) -> DeviceValidation:
    suite = decode(storage.blobs.get(cpu.suite), Suite)
    if gpu is None:
        done = _skipped(kernel, device, cpu)
        _keep(storage, done, suite)
        return done
    done = _tried(gpu, kernel, suite, cpu, storage, baselines)
    _keep(storage, done, suite)
    remember_first_baseline(storage, gpu, done.run)
    if not done.is_healthy:
        record_lost_device(storage, gpu.device, cpu)
        message = f"{device} does no more as it ought to after {kernel.name}: look at it, or reboot"
        raise Misconfigured(message, code="device-lost")
    return done


def count_devices_lost(storage: Storage, device: str, cpu: Run) -> int:
    """Return how many devices were lost to a unit with these cases."""
    return int(storage.source_memory.recall(_lost_key(device, cpu)) or b"0")


def record_lost_device(storage: Storage, device: str, cpu: Run) -> None:
    """Count a device that was lost to a unit: one may be the device's fault, several are the
    unit's.
    """
    storage.source_memory.remember(
        _lost_key(device, cpu),
        str(count_devices_lost(storage, device, cpu) + 1).encode(),
    )


def _lost_key(device: str, cpu: Run) -> str:
    return f"device-lost {VERSION} {device} {cpu.unit} {cpu.suite}"


def _tried(
    gpu: Gpu,
    kernel: Kernel,
    suite: Suite,
    cpu: Run,
    storage: Storage,
    baselines: Path | None,
) -> DeviceValidation:
    assert kernel.unit is not None
    try:
        unit = _in_dialect(kernel.unit, gpu)
        blobs = Blobs(
            {
                digest: storage.blobs.get(digest)
                for digest in (*input_digests(suite), *golden_digests(suite))
            }
        )
        baseline = find_baseline(storage, baselines, gpu, unit, cpu.suite)
        return run_on_gpu(
            gpu, unit, suite, blobs, cpu, replace(_TIMED, baseline=baseline)
        )
    except Misconfigured:
        raise
    except PortFailed as error:
        verdict = Verdict(
            status=Status.UNSUPPORTED, code=error.code, message=str(error)
        )
    except Exception:
        verdict = Verdict(
            status=Status.FAIL, code="internal", message=traceback.format_exc()
        )
    return _without(kernel, gpu.device, cpu, verdict)


def _in_dialect(unit: KernelUnit, gpu: Gpu) -> KernelUnit:
    wanted = RUNTIME_DIALECTS[gpu.runtime]
    if unit.dialect is wanted:
        return unit
    if wanted is Dialect.HIP:
        return port_unit(unit)
    raise PortFailed(
        "a HIP kernel is not run on a device of CUDA: crawl its CUDA source",
        code="wrong-dialect",
    )


def _skipped(kernel: Kernel, device: str, cpu: Run) -> DeviceValidation:
    return _without(kernel, device, cpu, explain_missing_gpu(device))


def _without(
    kernel: Kernel, device: str, cpu: Run, verdict: Verdict
) -> DeviceValidation:
    assert kernel.unit is not None
    run = Run(
        unit=kernel.unit.digest,
        device=device,
        toolchain=Toolchain(compiler=""),
        pass_exe=verdict,
        behaviour=cpu.behaviour,
    )
    return DeviceValidation(run=run)


def _keep(storage: Storage, done: DeviceValidation, suite: Suite) -> None:
    """Keep the builds of this machine's compilers with their objects, and the run."""
    storage.blobs.put_many(code for code in done.objects if code)
    # the last one is what rows show: that of the vendor's own compiler
    storage.index.put_builds(reversed(done.builds))
    storage.index.put_runs([done.run], [suite] if done.run.suite else [])
