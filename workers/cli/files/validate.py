"""Command `validate`: compile a kernel unit, or run it on a CPU or GPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.model import Build, Kernel, Resources, Run
    from crawler.validate.cpu.validation import CpuValidation


def validate(
    context: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            help="A kernel unit: a .cu or .hip file that `extract` or `export` wrote."
        ),
    ],
    targets: Annotated[
        str | None,
        typer.Option(
            help="Separated by commas (default: those of the file's dialect that are set)."
        ),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            metavar="DEVICE",
            help="Run it instead: `cpu`, `rocm`, `cuda`, or such as `rocm:gfx942`.",
        ),
    ] = "",
    compiler: Annotated[
        str,
        typer.Option(
            help="`clang`, `hipcc`, `nvcc`, or `ptxas` behind clang (default: the first there is)."
        ),
    ] = "",
    strength: Annotated[
        bool,
        typer.Option(
            "--strength",
            help="Measure what its cases tell: branches, and mutants of the kernel.",
        ),
    ] = False,
    tests: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write its cases as tests that people build, into a new folder.",
        ),
    ] = None,
    timed: Annotated[
        bool,
        typer.Option(
            "--time",
            help="On a GPU: measure its largest case, at least 50 launches of it.",
        ),
    ] = False,
    baseline: Annotated[
        float | None,
        typer.Option(
            metavar="MILLISECONDS", help="What the measured time is held against."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Compile a kernel unit for each target, or run it; that it does not compile, or run, is a
    result.

    What `extract` wrote beside it (a `.json` of the same name) tells how it is launched.
    """
    from crawler.codec import to_builtins
    from crawler.errors import Misconfigured
    from crawler.validate.build import build_unit, require_targets, target_dialect
    from crawler.validate.devices.device_validation import is_gpu_name
    from workers.local.crawl import check_targets
    from workers.local.unit_file import read_unit

    if device:
        if is_gpu_name(device):
            return _run_on_gpu(
                file, device, timed=timed, baseline=baseline, as_json=as_json
            )
        return _run(file, device, strength=strength, tests=tests, as_json=as_json)
    unit = read_unit(file)
    wanted = context_settings(context, targets=targets).targets
    check_targets(wanted)
    chosen = [
        each for each in wanted if targets or target_dialect(each) is unit.dialect
    ]
    if not chosen:
        given = ", ".join(wanted)
        raise Misconfigured(
            f"{given} compile no {unit.dialect} unit: give others by --targets",
            code="bad-target",
        )
    require_targets(chosen)
    for target in chosen:
        verdict = build_unit(unit, target, compiler).build
        if as_json:
            print_json(to_builtins(verdict))
        else:
            _print(verdict)
    return DONE


def _run(
    file: Path, device: str, *, strength: bool, tests: Path | None, as_json: bool
) -> int:
    from crawler.codec import to_builtins
    from crawler.errors import Misconfigured
    from crawler.validate.cpu.oracle_and_strength import assess_suite
    from crawler.validate.cpu.validation import CPU_DEVICE, validate_on_cpu
    from workers.local.unit_file import read_kernel

    if device != CPU_DEVICE:
        known = "give --device cpu, rocm, cuda, or one such as rocm:gfx942"
        raise Misconfigured(
            f"nothing is called {escape_line(device)}: {known}", code="bad-device"
        )
    if tests is not None and tests.exists():
        raise Misconfigured(
            f"{escape_line(str(tests))} is there already: name a new folder",
            code="folder-exists",
        )
    kernel = read_kernel(file)
    tried = assess_suite(kernel, validate_on_cpu(kernel), measures_strength=strength)
    if tests is not None:
        _write_tests(kernel, tried, tests)
    if as_json:
        print_json(
            {
                **to_builtins(tried.run),
                "case_names": [case.name for case in tried.suite.cases]
                if tried.suite
                else [],
            }
        )
    else:
        _print_run(tried.run)
    return DONE


def _run_on_gpu(
    file: Path, device: str, *, timed: bool, baseline: float | None, as_json: bool
) -> int:
    from crawler.codec import to_builtins
    from crawler.validate.devices.device_validation import validate_on_device
    from crawler.validate.devices.judgement.performance import Baseline
    from crawler.validate.devices.unit_runs import RunOptions
    from workers.local.unit_file import read_kernel

    given = (
        Baseline(milliseconds=baseline, source="given")
        if baseline is not None
        else None
    )
    wanted = RunOptions(timing={} if timed or given else None, baseline=given)
    done = validate_on_device(read_kernel(file), device, wanted)
    if as_json:
        print_json(
            {
                **to_builtins(done.run),
                "builds": to_builtins(done.builds),
                "healthy": done.is_healthy,
                "case_names": [case.name for case in done.suite.cases]
                if done.suite
                else [],
            }
        )
        return DONE
    for build in done.builds:
        _print(build)
    _print_run(done.run)
    return DONE


def _print_run(run: Run) -> None:
    verdict = run.pass_exe
    said = f"{verdict.code}: {verdict.message}" if verdict.code else verdict.message
    done = (
        "" if verdict.status == "skipped" else f"  {run.behaviour}  {run.cases} cases"
    )
    print_line(escape_line(f"{run.device}  {verdict.status}{done}  {said}"))
    if run.pass_perf:
        told = f"{run.pass_perf.code}: {run.pass_perf.message}".removeprefix(": ")
        print_line(escape_line(f"  time: {run.pass_perf.status}  {told}"))
    measured = run.strength
    if measured.branches >= 0:
        missed = (
            f", not those of lines {', '.join(map(str, measured.unreached))}"
            if measured.unreached
            else ""
        )
        print_line(
            f"  branches: {measured.branches_reached} of {measured.branches}{missed}"
        )
    if measured.mutants >= 0:
        print_line(
            f"  mutants: {measured.killed} of {measured.mutants} told from the kernel"
        )


def _write_tests(kernel: Kernel, tried: CpuValidation, target: Path) -> None:
    """Write the cases of a kernel as a folder of tests; nothing where it has none."""
    from crawler.validate.emulator.program import BuildOptions, build_cpu_program
    from crawler.validate.harness.harness_package import build_harness_package

    if tried.suite is None or kernel.unit is None:
        return
    entry = tried.suite.cases[0].entry if tried.suite.cases else 0
    signatures = build_cpu_program(kernel.unit, BuildOptions(), entry=entry).signatures
    given = build_harness_package(
        kernel.unit, tried.suite, tried.blobs, signatures, name=kernel.name
    )
    for name, content in given.files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
    if given.extension_problem:
        print_note(
            escape_line(
                f"no extension of PyTorch among the tests: {given.extension_problem}"
            )
        )


def _print(build: Build) -> None:
    verdict = build.pass_call
    reason = f"  {verdict.code}: {verdict.message}" if verdict.code else ""
    print_line(
        escape_line(
            f"{build.target}  {verdict.status}  {build.form or 'no object'}  {build.toolchain.compiler}{reason}"
        )
    )
    for used in build.resources:
        print_line(escape_line(f"    {used.symbol}: {_used(used)}"))


def _used(used: Resources) -> str:
    """Say what is known, and of spills and scratch only where there are any."""
    parts = [f"{used.registers} registers", f"{used.shared_bytes} bytes shared"]
    parts += [f"{used.spills} spilled"] if used.spills > 0 else []
    parts += [f"{used.scratch_bytes} bytes scratch"] if used.scratch_bytes > 0 else []
    return ", ".join(
        [*parts, *([f"occupancy {used.occupancy}"] if used.occupancy >= 0 else [])]
    )
