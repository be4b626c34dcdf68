"""Validate a kernel on a GPU: compile its unit, run its cases, and judge the outputs."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import (
    Behaviour,
    Build,
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
from crawler.validate.bundle.manifest import bundle_unit
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.devices.compute_sanitizer import SanitizerResult, run_sanitizer
from crawler.validate.devices.gpu_detection import Gpu, explain_missing_gpu, find_gpu
from crawler.validate.devices.judgement.device_run import build_run
from crawler.validate.devices.judgement.execution_verdict import is_object_loaded
from crawler.validate.devices.loadable_objects import (
    choose_target,
    compile_loadable,
    find_disagreement,
)
from crawler.validate.devices.unit_runs import RunOptions, run_units, with_health_check
from crawler.validate.values.blobs import Blobs

RUNTIME_DIALECTS: Final = {"rocm": Dialect.HIP, "cuda": Dialect.CUDA}
_DEVICE: Final = re.compile(r"rocm(?::gfx[0-9a-f]+)?|cuda(?::sm_\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceValidation:
    """What came of a unit on a GPU."""

    run: Run
    builds: tuple[Build, ...] = ()
    """By the vendor's compiler where this machine has it, then by clang."""
    objects: tuple[bytes, ...] = ()
    """Of the builds, empty where one has none."""
    is_healthy: bool = True
    """Whether the device does as it ought to: else nothing more should be run on it."""
    suite: Suite | None = None


def is_gpu_name(name: str) -> bool:
    """Tell whether this names a kind of GPU: `rocm`, `cuda`, `rocm:gfx942`, `cuda:sm_90`."""
    return _DEVICE.fullmatch(name) is not None


def validate_on_device(
    kernel: Kernel, device: str, options: RunOptions | None = None
) -> DeviceValidation:
    """Find cases for a kernel's unit on the CPU, and run them on the first GPU that `device`
    means.

    A CUDA unit is ported for a device of ROCm. What goes wrong is in the verdict; without such
    a GPU it is skipped.
    """
    gpu = find_gpu(device)
    assert kernel.unit is not None
    if gpu is None:
        return DeviceValidation(
            run=_not_run(kernel.unit, device, explain_missing_gpu(device))
        )
    tried = validate_on_cpu(kernel)
    unit = (
        port_unit(kernel.unit)
        if gpu.runtime == "rocm" and kernel.unit.dialect is Dialect.CUDA
        else kernel.unit
    )
    if tried.suite is None:
        told = tried.run.pass_exe
        verdict = Verdict(
            status=Status.SKIPPED,
            code="no-cases",
            message=f"on the CPU: {told.code}: {told.message}",
        )
        return DeviceValidation(
            run=_not_run(unit, gpu.device, verdict, tried.run.behaviour)
        )
    return run_on_gpu(gpu, unit, tried.suite, tried.blobs, tried.run, options)


def run_on_gpu(
    gpu: Gpu,
    unit: KernelUnit,
    suite: Suite,
    blobs: Blobs,
    cpu_run: Run,
    options: RunOptions | None = None,
) -> DeviceValidation:
    """Compile `unit` for a GPU and run the cases of `suite` there; `cpu_run` is what they
    showed on the CPU.
    """
    began = time.monotonic()
    made = compile_loadable(unit, choose_target(unit.dialect, gpu.arch))
    first, apart = made[0], find_disagreement([each.build for each in made])
    builds, objects = (
        tuple(each.build for each in made),
        tuple(each.object for each in made),
    )
    if not first.object:
        run = _not_run(unit, gpu.device, _not_built(builds, apart), cpu_run.behaviour)
        return DeviceValidation(
            run=replace(run, disagreement=apart),
            builds=builds,
            objects=objects,
            suite=suite,
        )
    options = with_health_check(
        options or RunOptions(), unit.dialect, first.build.target, blobs
    )
    blobs.put(first.object)
    bundle = bundle_unit(unit, first.build, suite)
    told = run_units(gpu, [bundle], blobs.get, options)[unit.digest]
    run = build_run(
        first.build,
        cpu_run,
        suite,
        told,
        blobs,
        device=gpu.device,
        details=gpu.details,
        partition=gpu.partition,
        baseline=options.baseline,
    )
    looked = (
        run_sanitizer(gpu, bundle, blobs.get, options)
        if run.pass_exe.status is Status.PASS
        else SanitizerResult()
    )
    return DeviceValidation(
        run=replace(
            run,
            pass_exe=looked.verdict or run.pass_exe,
            disagreement=apart,
            sanitized=looked.completed_tools,
            seconds=round(time.monotonic() - began, 3),
        ),
        builds=(replace(first.build, loaded=is_object_loaded(told)), *builds[1:]),
        objects=objects,
        is_healthy=told.is_healthy is not False,
        suite=suite,
    )


def _not_built(builds: Sequence[Build], apart: str) -> Verdict:
    """Return why there is nothing to run: the first compiler's verdict, and the others' where
    they differ.
    """
    told = [
        f"{each.toolchain.compiler or 'no compiler'}: {_said(each.pass_call)}"
        for each in builds
    ]
    first = builds[0].pass_call
    message = "; ".join(told) if apart else f"{first.code}: {first.message}"
    return Verdict(status=Status.SKIPPED, code=apart or "not-built", message=message)


def _said(verdict: Verdict) -> str:
    return " ".join(filter(None, (verdict.status.value, verdict.code, verdict.message)))


def _not_run(
    unit: KernelUnit,
    device: str,
    verdict: Verdict,
    behaviour: Behaviour = Behaviour.UNSUPPORTED,
) -> Run:
    return Run(
        unit=unit.digest,
        device=device,
        toolchain=Toolchain(compiler=""),
        pass_exe=verdict,
        behaviour=behaviour,
    )
