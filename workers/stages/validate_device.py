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
from storage.ledger import Claim, Outcome
from workers.stages.baselines import baseline_for, remember_first
from workers.stages.payloads import DevicePayload
from workers.stages.run_batches import stored_kernels
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

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
            continue
        suite = decode(storage.blobs.get(cpu.suite), Suite)
        done = (
            _tried(gpu, kernel, suite, cpu, storage, workspace.settings.baselines)
            if gpu
            else _skipped(kernel, payload.device, cpu)
        )
        _keep(storage, done, suite)
        if gpu:
            remember_first(storage, gpu, done.run)
        statuses[done.run.pass_exe.status.value] += 1
        if not done.healthy:
            message = f"{payload.device} does no more as it ought to after {kernel.name}: look at it, or reboot"
            raise Misconfigured(message, code="device-lost")
    return Outcome(result=encode({"device": payload.device, **statuses}).decode())


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
    storage.index.put_builds(done.builds)
    storage.index.put_runs([done.run], [suite] if done.run.suite else [])
