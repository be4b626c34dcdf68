"""validate.device: a batch of kernels is run on a GPU, with the cases that the CPU run found."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.errors import Misconfigured, PortFailed
from crawler.model import Dialect, Kernel, KernelUnit, Run, Status, Suite, Toolchain, Verdict
from crawler.port.port import port
from crawler.validate.blobs import Blobs
from crawler.validate.bundle import contents, golden
from crawler.validate.devices.gpu import Gpu, absence, gpu_for
from crawler.validate.devices.runs import Wanted
from crawler.validate.devices.trial import DIALECTS, OnDevice, run_on_gpu
from crawler.validate.devices.version import VERSION
from storage.ledger import Claim, Outcome
from workers.stages.baselines import baseline_for, remember_first
from workers.stages.payloads import DevicePayload
from workers.stages.run_batches import stored_kernels
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

_MOST_LOST: Final = 2
"""Devices that one unit may cost: it is not run on a third, and keeps the verdict that it got."""
_TIMED: Final = Wanted(timing={"launches": 60, "warm_ups": 5, "seconds": 5.0})


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Run each kernel that has cases, and keep what came of it at once; without the device each is skipped.

    Raises `Misconfigured` where the device does no more as it ought to: the worker stops, its task returns.
    """
    payload = decode(claim.payload, DevicePayload)
    on_cpu = decode(storage.blobs.get(payload.runs), tuple[Run, ...])
    gpu = gpu_for(payload.device)
    statuses: Counter[str] = Counter()
    for kernel, cpu in zip(stored_kernels(storage.blobs, payload.kernels), on_cpu, strict=True):
        if not cpu.suite:
            statuses["no-cases"] += 1
        elif gpu and devices_lost(storage, gpu.device, cpu) >= _MOST_LOST:
            statuses["device-lost"] += 1
        else:
            done = _done(storage, gpu, kernel, cpu, payload.device, workspace.settings.baselines)
            statuses[done.run.pass_exe.status.value] += 1
    return Outcome(result=encode({"device": payload.device, **statuses}).decode())


def _done(storage: Storage, gpu: Gpu | None, kernel: Kernel, cpu: Run, device: str, baselines: Path | None) -> OnDevice:
    suite = decode(storage.blobs.get(cpu.suite), Suite)
    if gpu is None:
        done = _skipped(kernel, device, cpu)
        _keep(storage, done, suite)
        return done
    done = _tried(gpu, kernel, suite, cpu, storage, baselines)
    _keep(storage, done, suite)
    remember_first(storage, gpu, done.run)
    if not done.healthy:
        count_lost(storage, gpu.device, cpu)
        message = f"{device} does no more as it ought to after {kernel.name}: look at it, or reboot"
        raise Misconfigured(message, code="device-lost")
    return done


def devices_lost(storage: Storage, device: str, cpu: Run) -> int:
    """Return how many devices were lost to a unit with these cases."""
    return int(storage.visits.recall(_lost_key(device, cpu)) or b"0")


def count_lost(storage: Storage, device: str, cpu: Run) -> None:
    """Count a device that was lost to a unit: one may be the device's fault, several are the unit's."""
    storage.visits.remember(_lost_key(device, cpu), str(devices_lost(storage, device, cpu) + 1).encode())


def _lost_key(device: str, cpu: Run) -> str:
    return f"device-lost {VERSION} {device} {cpu.unit} {cpu.suite}"


def _tried(gpu: Gpu, kernel: Kernel, suite: Suite, cpu: Run, storage: Storage, baselines: Path | None) -> OnDevice:
    assert kernel.unit is not None
    try:
        unit = _in_dialect(kernel.unit, gpu)
        blobs = Blobs({digest: storage.blobs.get(digest) for digest in (*contents(suite), *golden(suite))})
        baseline = baseline_for(storage, baselines, gpu, unit, cpu.suite)
        return run_on_gpu(gpu, unit, suite, blobs, cpu, replace(_TIMED, baseline=baseline))
    except Misconfigured:
        raise
    except PortFailed as error:
        verdict = Verdict(status=Status.UNSUPPORTED, code=error.code, message=str(error))
    except Exception:
        verdict = Verdict(status=Status.FAIL, code="internal", message=traceback.format_exc())
    return _without(kernel, gpu.device, cpu, verdict)


def _in_dialect(unit: KernelUnit, gpu: Gpu) -> KernelUnit:
    wanted = DIALECTS[gpu.runtime]
    if unit.dialect is wanted:
        return unit
    if wanted is Dialect.HIP:
        return port(unit)
    raise PortFailed("a HIP kernel is not run on a device of CUDA: crawl its CUDA source", code="wrong-dialect")


def _skipped(kernel: Kernel, device: str, cpu: Run) -> OnDevice:
    return _without(kernel, device, cpu, absence(device))


def _without(kernel: Kernel, device: str, cpu: Run, verdict: Verdict) -> OnDevice:
    assert kernel.unit is not None
    run = Run(
        unit=kernel.unit.digest,
        device=device,
        toolchain=Toolchain(compiler=""),
        pass_exe=verdict,
        behaviour=cpu.behaviour,
    )
    return OnDevice(run=run)


def _keep(storage: Storage, done: OnDevice, suite: Suite) -> None:
    """Keep the builds of this machine's compilers with their objects, and the run."""
    storage.blobs.put_many(code for code in done.objects if code)
    # the last one is what rows show: that of the vendor's own compiler
    storage.index.put_builds(reversed(done.builds))
    storage.index.put_runs([done.run], [suite] if done.run.suite else [])
