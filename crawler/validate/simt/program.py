"""Compiles a kernel unit for the CPU: one program that holds every instantiation."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from crawler import cache, headers, sandbox, toolchain
from crawler.headers.cpu_flags import compile_flags
from crawler.model import Diagnostic, KernelUnit, Status, Verdict
from crawler.process import Finished, Limits
from crawler.sandbox import Mount
from crawler.validate import messages
from crawler.validate.precompiled import STALE, precompiled, prelude_of
from crawler.validate.simt.answers import answers, line_of
from crawler.validate.simt.architecture import architecture_of
from crawler.validate.simt.common_part import UNIT, common_part
from crawler.validate.simt.questions import Asked
from crawler.validate.simt.signature import Signature, signatures
from crawler.validate.simt.source import entry_names, object_text, program_text

LIMITS: Final = Limits(seconds=600, cpu_seconds=120, memory_bytes=6 << 30, file_bytes=256 << 20)
"""The clock goes on while other work has the processor: it is only there for what sleeps."""
_SPENT: Final = re.compile(r"unable to execute command: (?:Killed|CPU time limit exceeded)")
_LOG: Final = 1 << 20
_SOURCE: Final = "unit.cpp"
_PROGRAM: Final = "program"
_LINKER: Final = ("-fuse-ld=gold",) if shutil.which("ld.gold") else ()
"""The quickest that links: it matters where a small program is linked thousands of times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """How a unit's program is made: one for its results, others for what they tell of it."""

    trace: bool = False
    """Whether each read and write is followed: extents, roles, races; many times slower."""
    lanes: int = 0
    """Of a warp: 64 shows what is hard-wired to 32; 0 for as many as the device has that the unit is written for."""
    contract: bool = False
    """Whether a multiplication and an addition may round once."""
    cover: bool = False
    """Whether the branches that are taken are counted."""
    sanitise: bool = False
    """Whether overflows, shifts, indices of arrays, casts and alignment are looked at."""
    quick: bool = False
    """Whether it is made sooner and runs slower: the compiler takes longer than a few small runs.

    Then what all programs have in common is compiled once for all, and called where it else would be inlined.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A unit as a program, or why there is none."""

    unit: str
    """Its digest."""
    mode: Mode
    verdict: Verdict
    executable: bytes = b""
    entries: tuple[str, ...] = ()
    """Each kernel as the unit spells it, in the order of its instantiations."""
    signatures: tuple[Signature, ...] = ()
    constants: Mapping[str, int] = field(default_factory=dict)
    """What it answered of what it was asked, by the names of the questions."""
    regions: str = ""
    """What its counters count, as clang tells it; empty where it has none."""
    diagnostics: tuple[Diagnostic, ...] = ()


def build_cpu(
    unit: KernelUnit,
    mode: Mode | None = None,
    *,
    only: int | None = None,
    described: bool = True,
    asked: Asked | None = None,
) -> Program:
    """Compile `unit` for this machine's CPU, or `only` one of its instantiations; what goes wrong is in the verdict.

    Unless it is `described`, nothing is asked of its parameters. What `only` one is `asked` is in the program's
    constants.
    """
    mode, clang = mode or Mode(), toolchain.clang()
    if clang is None:
        return _none(
            unit, mode, Status.SKIPPED, "no-compiler", "no clang++ of version 18 or newer: run `deploy/bootstrap`"
        )
    work = Path(tempfile.mkdtemp(prefix="kernelset-cpu-"))
    try:
        work.chmod(0o755)
        began = time.monotonic()
        compiled = _linked(program_text(unit, only, described=described, asked=asked), unit, mode, clang, work)
        if asked and compiled.exit_code and f"{_SOURCE}:{line_of(asked, unit.source)}:" in compiled.text:
            return build_cpu(unit, mode, only=only, described=described)
        if time.monotonic() - began >= LIMITS.cpu_seconds and _SPENT.search(compiled.text):
            compiled = replace(compiled, timed_out=True)
        if compiled.exit_code or not (work / _PROGRAM).is_file():
            return _failed(unit, mode, compiled)
        told = _described(work) if described else ""
        return Program(
            unit=unit.digest,
            mode=mode,
            verdict=Verdict(status=Status.PASS),
            executable=(work / _PROGRAM).read_bytes(),
            entries=entry_names(unit),
            signatures=signatures(told),
            constants=answers(told, asked) if asked else {},
            regions=compiled.output.decode("utf-8", "replace") if mode.cover else "",
        )
    finally:
        shutil.rmtree(work, ignore_errors=True)


def object_cpu(unit: KernelUnit, *, only: int | None = None) -> bytes:
    """Return the machine code of a unit for this CPU, optimised; empty where it does not compile."""
    clang = toolchain.clang()
    work = Path(tempfile.mkdtemp(prefix="kernelset-cpu-"))
    try:
        work.chmod(0o755)
        flags = _flags(unit, Mode())
        ended = _compiled(object_text(unit, only), unit, (*flags, "-c"), flags, clang, work) if clang else None
        return (work / _PROGRAM).read_bytes() if ended and not ended.exit_code else b""
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _described(work: Path) -> str:
    return _run(("./" + _PROGRAM,), work, Limits(seconds=10)).output.decode("utf-8", "replace")


def _linked(text: str, unit: KernelUnit, mode: Mode, clang: toolchain.Clang, work: Path) -> Finished:
    flags = _flags(unit, mode)
    common = common_part(clang.path, flags) if mode.quick else None
    if common is None:
        return _compiled(text, unit, (*flags, *_LINKER), flags, clang, work)
    flags = (*flags, *UNIT)
    return _compiled(text, unit, (*flags, *_LINKER), flags, clang, work, ("-x", "none", str(common)))


def _flags(unit: KernelUnit, mode: Mode) -> tuple[str, ...]:
    device = architecture_of(unit)
    return compile_flags(
        standard=unit.standard,
        lanes=mode.lanes or device.lanes,
        macros=device.macros,
        trace=mode.trace,
        contract=mode.contract,
        cover=mode.cover,
        sanitise=mode.sanitise,
        quick=mode.quick,
    )


def _compiled(
    text: str,
    unit: KernelUnit,
    words: tuple[str, ...],
    flags: tuple[str, ...],
    clang: toolchain.Clang,
    work: Path,
    last: tuple[str, ...] = (),
) -> Finished:
    """Compile `text` by these words; its prelude is compiled before, for the flags among them."""
    (work / _SOURCE).write_text(text, "utf-8", "surrogateescape")
    compiler, rest = (str(clang.path), *words), (_SOURCE, *last, "-o", _PROGRAM)
    header = precompiled(prelude_of(unit.source), clang.path, flags)
    use = ("-include-pch", str(header)) if header else ()
    ended = _run((*compiler, *use, *rest), work, LIMITS)
    if header and ended.exit_code and STALE.search(ended.text):
        return _run((*compiler, *rest), work, LIMITS)
    return ended


def _run(argv: tuple[str, ...], work: Path, limits: Limits) -> Finished:
    mounts = [
        Mount(source=headers.ROOT, target=str(headers.ROOT)),
        Mount(source=cache.folder(), target=str(cache.folder())),
        Mount(source=work, target=str(work), writable=True, brings=(_PROGRAM,)),
    ]
    return sandbox.run(argv, mounts=mounts, cwd=str(work), limits=limits, keep=_LOG)


def _failed(unit: KernelUnit, mode: Mode, ended: Finished) -> Program:
    if ended.timed_out:
        return _none(unit, mode, Status.FAIL, "compile-timeout", f"no result after {LIMITS.cpu_seconds} s")
    said = messages.diagnostics(ended.text)
    first = next((each for each in said if each.severity in ("error", "fatal")), None)
    where = f"{first.path}:{first.line}: " if first and first.path else ""
    message = f"{where}{first.message}" if first else ended.text.strip().partition("\n")[0]
    return _none(unit, mode, Status.FAIL, "compile-error", message[:500], said)


def _none(
    unit: KernelUnit, mode: Mode, status: Status, code: str, message: str, said: tuple[Diagnostic, ...] = ()
) -> Program:
    verdict = Verdict(status=status, code=code, message=message)
    return Program(unit=unit.digest, mode=mode, verdict=verdict, diagnostics=said)
