"""A unit on a GPU with no person: compiled by what is here, its cases run, and a verdict."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Behaviour, Build, Dialect, Kernel, KernelUnit, Run, Status, Suite, Toolchain, Verdict
from crawler.port.port import port
from crawler.validate.blobs import Blobs
from crawler.validate.bundle import bundled
from crawler.validate.devices.gpu import Gpu, absence, gpu_for
from crawler.validate.devices.loadable import compiled, disagreement, target_for
from crawler.validate.devices.results import run_of
from crawler.validate.devices.runs import Wanted, run_units, with_health
from crawler.validate.devices.sanitizer import Sanitized, sanitized
from crawler.validate.devices.verdicts import loaded
from crawler.validate.trial import try_on_cpu

DIALECTS: Final = {"rocm": Dialect.HIP, "cuda": Dialect.CUDA}
_DEVICE: Final = re.compile(r"rocm(?::gfx[0-9a-f]+)?|cuda(?::sm_\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDevice:
    """What came of a unit on a GPU."""

    run: Run
    builds: tuple[Build, ...] = ()
    """By the vendor's compiler where this machine has it, then by clang."""
    objects: tuple[bytes, ...] = ()
    """Of the builds, empty where one has none."""
    healthy: bool = True
    """Whether the device does as it ought to: else nothing more should be run on it."""
    suite: Suite | None = None


def is_device(name: str) -> bool:
    """Tell whether this names a kind of GPU: `rocm`, `cuda`, `rocm:gfx942`, `cuda:sm_90`."""
    return _DEVICE.fullmatch(name) is not None


def try_on_device(kernel: Kernel, device: str, wanted: Wanted | None = None) -> OnDevice:
    """Find cases for a kernel's unit on the CPU, and run them on the first GPU that `device` means.

    A CUDA unit is ported for a device of ROCm. What goes wrong is in the verdict; without such a GPU it is skipped.
    """
    gpu = gpu_for(device)
    assert kernel.unit is not None
    if gpu is None:
        return OnDevice(run=_not_run(kernel.unit, device, absence(device)))
    tried = try_on_cpu(kernel)
    unit = port(kernel.unit) if gpu.runtime == "rocm" and kernel.unit.dialect is Dialect.CUDA else kernel.unit
    if tried.suite is None:
        told = tried.run.pass_exe
        verdict = Verdict(status=Status.SKIPPED, code="no-cases", message=f"on the CPU: {told.code}: {told.message}")
        return OnDevice(run=_not_run(unit, gpu.device, verdict, tried.run.behaviour))
    return run_on_gpu(gpu, unit, tried.suite, tried.blobs, tried.run, wanted)


def run_on_gpu(
    gpu: Gpu, unit: KernelUnit, suite: Suite, blobs: Blobs, cpu: Run, wanted: Wanted | None = None
) -> OnDevice:
    """Compile `unit` for a GPU and run the cases of `suite` there; `cpu` is what they showed on the CPU."""
    began = time.monotonic()
    made = compiled(unit, target_for(unit.dialect, gpu.arch))
    first, apart = made[0], disagreement([each.build for each in made])
    builds, objects = tuple(each.build for each in made), tuple(each.object for each in made)
    if not first.object:
        run = _not_run(unit, gpu.device, _not_built(builds, apart), cpu.behaviour)
        return OnDevice(run=replace(run, disagreement=apart), builds=builds, objects=objects, suite=suite)
    wanted = with_health(wanted or Wanted(), unit.dialect, first.build.target, blobs)
    blobs.put(first.object)
    bundle = bundled(unit, first.build, suite)
    told = run_units(gpu, [bundle], blobs.get, wanted)[unit.digest]
    run = run_of(
        first.build,
        cpu,
        suite,
        told,
        blobs,
        device=gpu.device,
        details=gpu.details,
        partition=gpu.partition,
        baseline=wanted.baseline,
    )
    looked = sanitized(gpu, bundle, blobs.get, wanted) if run.pass_exe.status is Status.PASS else Sanitized()
    return OnDevice(
        run=replace(
            run,
            pass_exe=looked.verdict or run.pass_exe,
            disagreement=apart,
            sanitized=looked.looked,
            seconds=round(time.monotonic() - began, 3),
        ),
        builds=(replace(first.build, loaded=loaded(told)), *builds[1:]),
        objects=objects,
        healthy=told.healthy is not False,
        suite=suite,
    )


def _not_built(builds: Sequence[Build], apart: str) -> Verdict:
    """Return why there is nothing to run: the first compiler's verdict, and the others' where they differ."""
    told = [f"{each.toolchain.compiler or 'no compiler'}: {_said(each.pass_call)}" for each in builds]
    first = builds[0].pass_call
    message = "; ".join(told) if apart else f"{first.code}: {first.message}"
    return Verdict(status=Status.SKIPPED, code=apart or "not-built", message=message)


def _said(verdict: Verdict) -> str:
    return " ".join(filter(None, (verdict.status.value, verdict.code, verdict.message)))


def _not_run(unit: KernelUnit, device: str, verdict: Verdict, behaviour: Behaviour = Behaviour.UNSUPPORTED) -> Run:
    return Run(unit=unit.digest, device=device, toolchain=Toolchain(compiler=""), pass_exe=verdict, behaviour=behaviour)
