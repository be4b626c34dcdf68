"""kernelset validate: whether one kernel unit compiles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli import DONE
from workers.cli.options import Json, settings_of
from workers.cli.terminal import safe, say, say_json

_INSTANTIATED: Final = re.compile(r"^template\s+__global__\s+decltype\(([\w:]+)", re.MULTILINE)
_DEFINED: Final = re.compile(
    r"__global__(?:[^;{()]|__launch_bounds__\s*\([^)]*\))*?\b(?!__launch_bounds__\b)(\w+)\s*\("
)

if TYPE_CHECKING:
    from crawler.model import Build, KernelUnit


def validate(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A kernel unit: a .cu or .hip file that `extract` or `export` wrote.")],
    targets: Annotated[
        str | None, typer.Option(help="Separated by commas (default: those of the file's dialect that are set).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Compile a kernel unit for each target; that it does not compile is a result."""
    from crawler.codec import plain
    from crawler.errors import Misconfigured
    from crawler.validate.build import build, dialect_of, require
    from workers.crawl import check_targets

    unit = _unit(file)
    wanted = settings_of(context, targets=targets).targets
    check_targets(wanted)
    chosen = [each for each in wanted if targets or dialect_of(each) is unit.dialect]
    if not chosen:
        given = ", ".join(wanted)
        raise Misconfigured(f"{given} compile no {unit.dialect} unit: give others by --targets", code="bad-target")
    require(chosen)
    for target in chosen:
        verdict = build(unit, target).build
        if as_json:
            say_json(plain(verdict))
        else:
            _print(verdict)
    return DONE


def _unit(file: Path) -> KernelUnit:
    import hashlib

    from crawler import headers, standards
    from crawler.errors import NotFound
    from crawler.model import Dialect, KernelUnit
    from crawler.tokens import token_digest

    if not file.is_file():
        raise NotFound(f"there is no file {file}: give a kernel unit", code="no-file")
    text = file.read_text("utf-8", "replace")
    return KernelUnit(
        source=text,
        dialect=Dialect.HIP if file.suffix == ".hip" else Dialect.CUDA,
        kernel_name=_kernel_name(text),
        instantiations=(),
        prelude=headers.digest(),
        digest=hashlib.sha256(text.encode()).hexdigest(),
        token_digest=token_digest(text),
        standard=standards.said(text),
    )


def _kernel_name(text: str) -> str:
    """Return the name of the kernel that a unit is about: what it instantiates, else the last that it defines."""
    from crawler.errors import NoKernels

    for pattern in (_INSTANTIATED, _DEFINED):
        found = pattern.findall(text)
        if found:
            return str(found[-1])
    raise NoKernels("no kernel is defined in it: give a kernel unit")


def _print(build: Build) -> None:
    verdict = build.pass_call
    reason = f"  {verdict.code}: {verdict.message}" if verdict.code else ""
    say(safe(f"{build.target}  {verdict.status}  {build.form or 'no object'}  {build.toolchain.compiler}{reason}"))
    for used in build.resources:
        say(safe(f"    {used.symbol}: {used.registers} registers, {used.shared_bytes} bytes shared"))
