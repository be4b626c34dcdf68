"""Compile a kernel unit into a host program for the CPU."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from crawler import cache, headers, sandbox
from crawler.model import Diagnostic, KernelUnit, Status, Verdict
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount
from crawler.toolchains import discovery
from crawler.toolchains.cpu_flags import get_cpu_compile_flags
from crawler.validate.emulator.runtime_object import UNIT_FLAGS, build_runtime_object
from crawler.validate.emulator.source.architecture import choose_architecture
from crawler.validate.emulator.source.constant_probes import (
    find_probe_line,
    parse_constants,
)
from crawler.validate.emulator.source.constant_queries import ConstantQueries
from crawler.validate.emulator.source.program_source import (
    build_object_source,
    build_program_source,
    list_entry_names,
)
from crawler.validate.toolchains import compiler_messages
from crawler.validate.toolchains.precompiled_headers import (
    STALE_HEADER_PATTERN,
    find_prelude,
    precompile_prelude,
)
from crawler.validate.values.parameter_types import Signature, parse_signatures

COMPILE_LIMITS: Final = Limits(
    seconds=600, cpu_seconds=120, memory_bytes=6 << 30, file_bytes=256 << 20
)
"""The clock goes on while other work has the processor: it is only there for what sleeps."""
_SPENT: Final = re.compile(
    r"unable to execute command: (?:Killed|CPU time limit exceeded)"
)
_LOG: Final = 1 << 20
_SOURCE: Final = "unit.cpp"
_PROGRAM: Final = "program"
_LINKER: Final = ("-fuse-ld=gold",) if shutil.which("ld.gold") else ()
"""The quickest that links: it matters where a small program is linked thousands of times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How a unit's program is made: one for its results, others for what they tell of it."""

    trace: bool = False
    """Whether each read and write is followed: extents, roles, races; many times slower."""
    warp_size: int = 0
    """Of a warp: 64 shows what is hard-wired to 32; 0 for as many as the device has that the
    unit is written for.
    """
    contract_fma: bool = False
    """Whether a multiplication and an addition may round once."""
    count_branches: bool = False
    """Whether the branches that are taken are counted."""
    sanitise: bool = False
    """Whether overflows, shifts, indices of arrays, casts and alignment are looked at."""
    fast_build: bool = False
    """Whether it is made sooner and runs slower: the compiler takes longer than a few small
    runs.

    Then what all programs have in common is compiled once for all, and called where it else
    would be inlined.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A unit as a program, or why there is none."""

    unit_digest: str
    """Its digest."""
    options: BuildOptions
    verdict: Verdict
    executable: bytes = b""
    entries: tuple[str, ...] = ()
    """Each kernel as the unit spells it, in the order of its instantiations."""
    signatures: tuple[Signature, ...] = ()
    constants: Mapping[str, int] = field(default_factory=dict)
    """What it answered of what it was asked, by the names of the questions."""
    coverage_report: str = ""
    """What its counters count, as clang tells it; empty where it has none."""
    diagnostics: tuple[Diagnostic, ...] = ()


def build_cpu_program(
    unit: KernelUnit,
    options: BuildOptions | None = None,
    *,
    entry: int | None = None,
    describe: bool = True,
    queries: ConstantQueries | None = None,
) -> Program:
    """Compile `unit` for this machine's CPU, or `entry` one of its instantiations; what goes
    wrong is in the verdict.

    Unless it is `describe`, nothing is asked of its parameters. What `entry` one is `queries`
    is in the program's
    constants.
    """
    options, clang = options or BuildOptions(), discovery.find_clang()
    if clang is None:
        return _none(
            unit,
            options,
            Status.SKIPPED,
            "no-compiler",
            "no clang++ of version 18 or newer: run `deploy/bootstrap`",
        )
    work = Path(tempfile.mkdtemp(prefix="kernelset-cpu-"))
    try:
        work.chmod(0o755)
        began = time.monotonic()
        compiled = _linked(
            build_program_source(unit, entry, describe=describe, queries=queries),
            unit,
            options,
            clang,
            work,
        )
        if (
            queries
            and compiled.exit_code
            and f"{_SOURCE}:{find_probe_line(queries, unit.source)}:" in compiled.text
        ):
            return build_cpu_program(unit, options, entry=entry, describe=describe)
        if time.monotonic() - began >= COMPILE_LIMITS.cpu_seconds and _SPENT.search(
            compiled.text
        ):
            compiled = replace(compiled, timed_out=True)
        if compiled.exit_code or not (work / _PROGRAM).is_file():
            return _failed(unit, options, compiled)
        told = _described(work) if describe else ""
        return Program(
            unit_digest=unit.digest,
            options=options,
            verdict=Verdict(status=Status.PASS),
            executable=(work / _PROGRAM).read_bytes(),
            entries=list_entry_names(unit),
            signatures=parse_signatures(told),
            constants=parse_constants(told, queries) if queries else {},
            coverage_report=compiled.output.decode("utf-8", "replace")
            if options.count_branches
            else "",
        )
    finally:
        shutil.rmtree(work, ignore_errors=True)


def compile_cpu_object(unit: KernelUnit, *, entry: int | None = None) -> bytes:
    """Return the machine code of a unit for this CPU, optimised; empty where it does not
    compile.
    """
    clang = discovery.find_clang()
    work = Path(tempfile.mkdtemp(prefix="kernelset-cpu-"))
    try:
        work.chmod(0o755)
        flags = _flags(unit, BuildOptions())
        ended = (
            _compiled(
                build_object_source(unit, entry),
                unit,
                (*flags, "-c"),
                flags,
                clang,
                work,
            )
            if clang
            else None
        )
        return (work / _PROGRAM).read_bytes() if ended and not ended.exit_code else b""
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _described(work: Path) -> str:
    return _run(("./" + _PROGRAM,), work, Limits(seconds=10)).output.decode(
        "utf-8", "replace"
    )


def _linked(
    text: str, unit: KernelUnit, mode: BuildOptions, clang: discovery.Clang, work: Path
) -> CompletedProcess:
    flags = _flags(unit, mode)
    common = build_runtime_object(clang.path, flags) if mode.fast_build else None
    if common is None:
        return _compiled(text, unit, (*flags, *_LINKER), flags, clang, work)
    flags = (*flags, *UNIT_FLAGS)
    return _compiled(
        text, unit, (*flags, *_LINKER), flags, clang, work, ("-x", "none", str(common))
    )


def _flags(unit: KernelUnit, mode: BuildOptions) -> tuple[str, ...]:
    device = choose_architecture(unit)
    return get_cpu_compile_flags(
        standard=unit.standard,
        lanes=mode.warp_size or device.warp_size,
        macros=device.macro_flags,
        trace=mode.trace,
        contract_floats=mode.contract_fma,
        count_branches=mode.count_branches,
        sanitise=mode.sanitise,
        fast_compile=mode.fast_build,
    )


def _compiled(
    text: str,
    unit: KernelUnit,
    words: tuple[str, ...],
    flags: tuple[str, ...],
    clang: discovery.Clang,
    work: Path,
    last: tuple[str, ...] = (),
) -> CompletedProcess:
    """Compile `text` by these words; its prelude is compiled before, for the flags among them."""
    (work / _SOURCE).write_text(text, "utf-8", "surrogateescape")
    compiler, rest = (str(clang.path), *words), (_SOURCE, *last, "-o", _PROGRAM)
    header = precompile_prelude(find_prelude(unit.source), clang.path, flags)
    use = ("-include-pch", str(header)) if header else ()
    ended = _run((*compiler, *use, *rest), work, COMPILE_LIMITS)
    if header and ended.exit_code and STALE_HEADER_PATTERN.search(ended.text):
        return _run((*compiler, *rest), work, COMPILE_LIMITS)
    return ended


def _run(argv: tuple[str, ...], work: Path, limits: Limits) -> CompletedProcess:
    mounts = [
        Mount(source=headers.ROOT, target=str(headers.ROOT)),
        Mount(
            source=cache.ensure_cache_folder(), target=str(cache.ensure_cache_folder())
        ),
        Mount(source=work, target=str(work), writable=True, copy_back=(_PROGRAM,)),
    ]
    return sandbox.run(argv, mounts=mounts, cwd=str(work), limits=limits, keep=_LOG)


def _failed(unit: KernelUnit, mode: BuildOptions, ended: CompletedProcess) -> Program:
    if ended.timed_out:
        return _none(
            unit,
            mode,
            Status.FAIL,
            "compile-timeout",
            f"no result after {COMPILE_LIMITS.cpu_seconds} s",
        )
    said = compiler_messages.parse_diagnostics(ended.text)
    first = next((each for each in said if each.severity in ("error", "fatal")), None)
    where = f"{first.path}:{first.line}: " if first and first.path else ""
    message = (
        f"{where}{first.message}" if first else ended.text.strip().partition("\n")[0]
    )
    return _none(unit, mode, Status.FAIL, "compile-error", message[:500], said)


def _none(
    unit: KernelUnit,
    mode: BuildOptions,
    status: Status,
    code: str,
    message: str,
    said: tuple[Diagnostic, ...] = (),
) -> Program:
    verdict = Verdict(status=status, code=code, message=message)
    return Program(
        unit_digest=unit.digest, options=mode, verdict=verdict, diagnostics=said
    )
