"""kernelset validate: whether one kernel unit compiles, and what it does when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli import DONE
from workers.cli.options import Json, settings_of
from workers.cli.terminal import note, safe, say, say_json

if TYPE_CHECKING:
    from crawler.model import Build, Kernel, Resources, Run
    from crawler.validate.trial import Tried


def validate(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A kernel unit: a .cu or .hip file that `extract` or `export` wrote.")],
    targets: Annotated[
        str | None, typer.Option(help="Separated by commas (default: those of the file's dialect that are set).")
    ] = None,
    device: Annotated[
        str,
        typer.Option(metavar="DEVICE", help="Run it instead: `cpu`, `rocm`, `cuda`, or such as `rocm:gfx942`."),
    ] = "",
    compiler: Annotated[
        str,
        typer.Option(help="`clang`, `hipcc`, `nvcc`, or `ptxas` behind clang (default: the first there is)."),
    ] = "",
    strength: Annotated[
        bool, typer.Option("--strength", help="Measure what its cases tell: branches, and mutants of the kernel.")
    ] = False,
    tests: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write its cases as tests that people build, into a new folder."),
    ] = None,
    timed: Annotated[
        bool, typer.Option("--time", help="On a GPU: measure its largest case, at least 50 launches of it.")
    ] = False,
    baseline: Annotated[
        float | None, typer.Option(metavar="MILLISECONDS", help="What the measured time is held against.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Compile a kernel unit for each target, or run it; that it does not compile, or run, is a result.

    What `extract` wrote beside it (a `.json` of the same name) tells how it is launched.
    """
    from crawler.codec import plain
    from crawler.errors import Misconfigured
    from crawler.validate.build import build, dialect_of, require
    from crawler.validate.devices.trial import is_device
    from workers.crawl import check_targets
    from workers.unit_file import unit_of

    if device:
        if is_device(device):
            return _run_on_gpu(file, device, timed=timed, baseline=baseline, as_json=as_json)
        return _run(file, device, strength=strength, tests=tests, as_json=as_json)
    unit = unit_of(file)
    wanted = settings_of(context, targets=targets).targets
    check_targets(wanted)
    chosen = [each for each in wanted if targets or dialect_of(each) is unit.dialect]
    if not chosen:
        given = ", ".join(wanted)
        raise Misconfigured(f"{given} compile no {unit.dialect} unit: give others by --targets", code="bad-target")
    require(chosen)
    for target in chosen:
        verdict = build(unit, target, compiler).build
        if as_json:
            say_json(plain(verdict))
        else:
            _print(verdict)
    return DONE


def _run(file: Path, device: str, *, strength: bool, tests: Path | None, as_json: bool) -> int:
    from crawler.codec import plain
    from crawler.errors import Misconfigured
    from crawler.validate.assess import assessed
    from crawler.validate.trial import DEVICE, try_on_cpu
    from workers.unit_file import kernel_of

    if device != DEVICE:
        known = "give --device cpu, rocm, cuda, or one such as rocm:gfx942"
        raise Misconfigured(f"nothing is called {safe(device)}: {known}", code="bad-device")
    if tests is not None and tests.exists():
        raise Misconfigured(f"{safe(str(tests))} is there already: name a new folder", code="folder-exists")
    kernel = kernel_of(file)
    tried = assessed(kernel, try_on_cpu(kernel), strength=strength)
    if tests is not None:
        _write_tests(kernel, tried, tests)
    if as_json:
        say_json({**plain(tried.run), "case_names": [case.name for case in tried.suite.cases] if tried.suite else []})
    else:
        _print_run(tried.run)
    return DONE


def _run_on_gpu(file: Path, device: str, *, timed: bool, baseline: float | None, as_json: bool) -> int:
    from crawler.codec import plain
    from crawler.validate.devices.performance import Baseline
    from crawler.validate.devices.runs import Wanted
    from crawler.validate.devices.trial import try_on_device
    from workers.unit_file import kernel_of

    given = Baseline(milliseconds=baseline, source="given") if baseline is not None else None
    wanted = Wanted(timing={} if timed or given else None, baseline=given)
    done = try_on_device(kernel_of(file), device, wanted)
    if as_json:
        say_json(
            {
                **plain(done.run),
                "builds": plain(done.builds),
                "healthy": done.healthy,
                "case_names": [case.name for case in done.suite.cases] if done.suite else [],
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
    done = "" if verdict.status == "skipped" else f"  {run.behaviour}  {run.cases} cases"
    say(safe(f"{run.device}  {verdict.status}{done}  {said}"))
    if run.pass_perf:
        told = f"{run.pass_perf.code}: {run.pass_perf.message}".removeprefix(": ")
        say(safe(f"  time: {run.pass_perf.status}  {told}"))
    measured = run.strength
    if measured.branches >= 0:
        missed = f", not those of lines {', '.join(map(str, measured.unreached))}" if measured.unreached else ""
        say(f"  branches: {measured.branches_reached} of {measured.branches}{missed}")
    if measured.mutants >= 0:
        say(f"  mutants: {measured.killed} of {measured.mutants} told from the kernel")


def _write_tests(kernel: Kernel, tried: Tried, target: Path) -> None:
    """Write the cases of a kernel as a folder of tests; nothing where it has none."""
    from crawler.validate.harness.handout import handout
    from crawler.validate.simt.program import Mode, build_cpu

    if tried.suite is None or kernel.unit is None:
        return
    entry = tried.suite.cases[0].entry if tried.suite.cases else 0
    signatures = build_cpu(kernel.unit, Mode(), only=entry).signatures
    given = handout(kernel.unit, tried.suite, tried.blobs, signatures, name=kernel.name)
    for name, content in given.files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
    if given.no_extension:
        note(safe(f"no extension of PyTorch among the tests: {given.no_extension}"))


def _print(build: Build) -> None:
    verdict = build.pass_call
    reason = f"  {verdict.code}: {verdict.message}" if verdict.code else ""
    say(safe(f"{build.target}  {verdict.status}  {build.form or 'no object'}  {build.toolchain.compiler}{reason}"))
    for used in build.resources:
        say(safe(f"    {used.symbol}: {_used(used)}"))


def _used(used: Resources) -> str:
    """Say what is known, and of spills and scratch only where there are any."""
    parts = [f"{used.registers} registers", f"{used.shared_bytes} bytes shared"]
    parts += [f"{used.spills} spilled"] if used.spills > 0 else []
    parts += [f"{used.scratch_bytes} bytes scratch"] if used.scratch_bytes > 0 else []
    return ", ".join([*parts, *([f"occupancy {used.occupancy}"] if used.occupancy >= 0 else [])])
