"""kernelset validate: whether one kernel unit compiles, and what it does when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli import DONE
from workers.cli.options import Json, settings_of
from workers.cli.terminal import safe, say, say_json

if TYPE_CHECKING:
    from crawler.model import Build, Resources, Run


def validate(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A kernel unit: a .cu or .hip file that `extract` or `export` wrote.")],
    targets: Annotated[
        str | None, typer.Option(help="Separated by commas (default: those of the file's dialect that are set).")
    ] = None,
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="Run it instead: `cpu` finds inputs for it and judges what it does.")
    ] = "",
    compiler: Annotated[
        str,
        typer.Option(help="Who compiles: `clang`, `hipcc`, or `ptxas` behind clang (default: the first there is)."),
    ] = "",
    as_json: Json = False,
) -> int:
    """Compile a kernel unit for each target, or run it; that it does not compile, or run, is a result.

    What `extract` wrote beside it (a `.json` of the same name) tells how it is launched.
    """
    from crawler.codec import plain
    from crawler.errors import Misconfigured
    from crawler.validate.build import build, dialect_of, require
    from workers.crawl import check_targets
    from workers.unit_file import unit_of

    if device:
        return _run(file, device, as_json=as_json)
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


def _run(file: Path, device: str, *, as_json: bool) -> int:
    from crawler.codec import plain
    from crawler.errors import Misconfigured
    from crawler.validate.trial import DEVICE, try_on_cpu
    from workers.unit_file import kernel_of

    if device != DEVICE:
        raise Misconfigured(f"nothing here runs kernels on {safe(device)}: give --device cpu", code="bad-device")
    tried = try_on_cpu(kernel_of(file))
    if as_json:
        say_json({**plain(tried.run), "case_names": [case.name for case in tried.suite.cases] if tried.suite else []})
    else:
        _print_run(tried.run)
    return DONE


def _print_run(run: Run) -> None:
    verdict = run.pass_exe
    say(safe(f"{run.device}  {verdict.status}  {run.behaviour}  {run.cases} cases  {verdict.code}: {verdict.message}"))


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
