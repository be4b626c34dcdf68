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
from crawler.validate.bundle.manifest import BundledUnit, bundle_unit
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
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.devices.unit_runs import RunOptions, run_units, with_health_check
from crawler.validate.values.blobs import Blobs

RUNTIME_DIALECTS: Final = {"rocm": Dialect.HIP, "cuda": Dialect.CUDA}
# a device, as it is named on the command line
_GPU_NAME: Final = re.compile(r"rocm(?::gfx[0-9a-f]+)?|cuda(?::sm_\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceValidation:
    """Result of a unit on a GPU."""

    run: Run
    builds: tuple[Build, ...] = ()
    """By the vendor's compiler where this machine has it, then by clang."""
    objects: tuple[bytes, ...] = ()
    """Of the builds, empty where one has none."""
    is_healthy: bool = True
    """Whether the device passes its health check: else nothing more should be run on it."""
    suite: Suite | None = None


def is_gpu_name(name: str) -> bool:
    """Tell whether this names a kind of GPU: `rocm`, `cuda`, `rocm:gfx942`, `cuda:sm_90`."""
    return _GPU_NAME.fullmatch(name) is not None


def validate_on_device(
    kernel: Kernel, device: str, options: RunOptions | None = None
) -> DeviceValidation:
    """Find cases for a kernel's unit on the CPU, and run them on the first GPU named `device`.

    A CUDA unit is ported for a device of ROCm. What goes wrong is in the verdict; without such
    a GPU it is skipped.
    """
    assert kernel.unit is not None
    gpu = find_gpu(device)
    if gpu is None:
        verdict = explain_missing_gpu(device)
        return DeviceValidation(run=_build_failed_run(kernel.unit, device, verdict))

    cpu_validation = validate_on_cpu(kernel)
    unit = kernel.unit
    # Cases come from the CUDA unit: the port must give the same results.
    if gpu.runtime == "rocm" and unit.dialect is Dialect.CUDA:
        unit = port_unit(unit)

    suite = cpu_validation.suite
    cpu_run = cpu_validation.run
    if suite is None:
        verdict = skip_without_cases(cpu_run)
        run = _build_failed_run(unit, gpu.device, verdict, cpu_run.behaviour)

        return DeviceValidation(run=run)

    return run_on_gpu(gpu, unit, suite, cpu_validation.blobs, cpu_run, options)


def run_on_gpu(
    gpu: Gpu,
    unit: KernelUnit,
    suite: Suite,
    blobs: Blobs,
    cpu_run: Run,
    options: RunOptions | None = None,
) -> DeviceValidation:
    """Compile `unit` for a GPU and run the cases of `suite` there.

    `cpu_run` is their run on the CPU, and `blobs` holds their inputs and golden outputs.
    """
    start = time.monotonic()
    built_objects = compile_loadable(unit, choose_target(unit.dialect, gpu.arch))
    builds = tuple(built.build for built in built_objects)
    objects = tuple(built.object for built in built_objects)
    disagreement = find_disagreement(builds)
    if not objects[0]:
        verdict = _explain_missing_object(builds, disagreement)
        run = _build_failed_run(unit, gpu.device, verdict, cpu_run.behaviour)

        return DeviceValidation(
            run=replace(run, disagreement=disagreement),
            builds=builds,
            objects=objects,
            suite=suite,
        )

    # The vendor's own build is what runs; those of other compilers are compared alone.
    build = builds[0]
    options = options or RunOptions()
    options = with_health_check(options, unit.dialect, build.target, blobs)
    blobs.put(objects[0])
    bundle = bundle_unit(unit, build, suite)
    report = run_units(gpu, [bundle], blobs.get, options)[unit.digest]

    run = _judge_report(gpu, build, cpu_run, suite, report, blobs, options)
    sanitizer_result = _sanitize_passing(run, gpu, bundle, blobs, options)
    run = replace(
        run,
        pass_exe=sanitizer_result.verdict or run.pass_exe,
        disagreement=disagreement,
        sanitized=sanitizer_result.completed_tools,
        seconds=round(time.monotonic() - start, 3),
    )

    loaded_build = replace(build, loaded=is_object_loaded(report))
    return DeviceValidation(
        run=run,
        builds=(loaded_build, *builds[1:]),
        objects=objects,
        is_healthy=report.is_healthy is not False,
        suite=suite,
    )


def skip_without_cases(cpu_run: Run) -> Verdict:
    """Return the verdict of a unit for which the CPU found no cases."""
    cause = cpu_run.pass_exe
    return Verdict(
        status=Status.SKIPPED,
        code="no-cases",
        message=f"on the CPU: {cause.code}: {cause.message}",
    )


def _judge_report(
    gpu: Gpu,
    build: Build,
    cpu_run: Run,
    suite: Suite,
    report: RunnerReport,
    blobs: Blobs,
    options: RunOptions,
) -> Run:
    return build_run(
        build,
        cpu_run,
        suite,
        report,
        blobs,
        device=gpu.device,
        details=gpu.details,
        partition=gpu.partition,
        baseline=options.baseline,
    )


def _sanitize_passing(
    run: Run, gpu: Gpu, bundle: BundledUnit, blobs: Blobs, options: RunOptions
) -> SanitizerResult:
    """Run what passed under the sanitizer: a run that failed has its verdict already."""
    if run.pass_exe.status is not Status.PASS:
        return SanitizerResult()

    return run_sanitizer(gpu, bundle, blobs.get, options)


def _explain_missing_object(builds: Sequence[Build], disagreement: str) -> Verdict:
    """Return why there is nothing to run.

    That is the first compiler's verdict, and those of all where they differ.
    """
    cause = builds[0].pass_call
    if not disagreement:
        return Verdict(
            status=Status.SKIPPED,
            code="not-built",
            message=f"{cause.code}: {cause.message}",
        )

    verdicts = [
        f"{build.toolchain.compiler or 'no compiler'}: {_format_verdict(build.pass_call)}"
        for build in builds
    ]

    return Verdict(
        status=Status.SKIPPED, code=disagreement, message="; ".join(verdicts)
    )


def _format_verdict(verdict: Verdict) -> str:
    words = (verdict.status.value, verdict.code, verdict.message)
    return " ".join(word for word in words if word)


def _build_failed_run(
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
