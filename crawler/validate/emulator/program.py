"""Compile a kernel unit into a host program for the CPU."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from crawler.model import Diagnostic, KernelUnit, Status, Verdict
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox.work_folder import open_work_folder
from crawler.toolchains import discovery
from crawler.toolchains.cpu_flags import get_cpu_compile_flags
from crawler.validate.emulator.compile_program import (
    COMPILE_LIMITS,
    PROGRAM_NAME,
    SOURCE_NAME,
    compile_source,
    run_in_work_folder,
)
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
from crawler.validate.toolchains.processor_limit import mark_timeout
from crawler.validate.values.parameter_types import Signature, parse_signatures

_MAX_MESSAGE_LENGTH: Final = 500
_DESCRIPTION_SECONDS: Final = 10
_LINKER_FLAGS: Final = ("-fuse-ld=gold",) if shutil.which("ld.gold") else ()
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
    zero_locals: bool = False
    """Whether local variables that nobody initialises hold zeros, and not a pattern."""
    soil_locals: bool = False
    """Whether these hold rubbish, another in each launch; then nothing is optimised."""
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
    is in the program's constants.
    """
    options = options or BuildOptions()
    clang = discovery.find_clang()
    if clang is None:
        return _build_failed_program(
            unit,
            options,
            Status.SKIPPED,
            "no-compiler",
            "no clang++ of version 18 or newer: run `deploy/bootstrap`",
        )

    with open_work_folder("cpu") as work:
        text = build_program_source(unit, entry, describe=describe, queries=queries)
        completed = _compile_program(text, unit, options, clang, work)
        # a constant that cannot be asked for is no fault of the kernel: build it without
        # questions
        if queries and _has_failed_probe(completed, queries, unit.source):
            return build_cpu_program(unit, options, entry=entry, describe=describe)
        if completed.exit_code or not (work / PROGRAM_NAME).is_file():
            return _explain_compile_failure(unit, options, completed)

        description = _describe_program(work) if describe else ""
        coverage_report = ""
        # clang prints the mapping while it compiles
        if options.count_branches:
            coverage_report = completed.output.decode("utf-8", "replace")

        return Program(
            unit_digest=unit.digest,
            options=options,
            verdict=Verdict(status=Status.PASS),
            executable=(work / PROGRAM_NAME).read_bytes(),
            entries=list_entry_names(unit),
            signatures=parse_signatures(description),
            constants=parse_constants(description, queries) if queries else {},
            coverage_report=coverage_report,
        )


def compile_cpu_object(unit: KernelUnit, *, entry: int | None = None) -> bytes:
    """Return the machine code of a unit for this CPU, optimised; empty where it does not
    compile.
    """
    clang = discovery.find_clang()

    with open_work_folder("cpu") as work:
        flags = _list_compile_flags(unit, BuildOptions())
        if clang is None:
            return b""

        completed = compile_source(
            build_object_source(unit, entry),
            unit.source,
            clang,
            work,
            command_flags=(*flags, "-c"),
            prelude_flags=flags,
        )

        if completed.exit_code:
            return b""

        return (work / PROGRAM_NAME).read_bytes()


def _compile_program(
    text: str,
    unit: KernelUnit,
    options: BuildOptions,
    clang: discovery.Clang,
    work: Path,
) -> CompletedProcess:
    """Compile and link a program; what had too much of the processor counts as timed out."""
    start = time.monotonic()
    # the flags of the object and of the unit must agree, or they would not link
    flags = _list_compile_flags(unit, options)
    inputs: tuple[str, ...] = ()

    if options.fast_build:
        runtime_object = build_runtime_object(clang.path, flags)
        if runtime_object is not None:
            flags = (*flags, *UNIT_FLAGS)
            inputs = ("-x", "none", str(runtime_object))

    completed = compile_source(
        text,
        unit.source,
        clang,
        work,
        command_flags=(*flags, *_LINKER_FLAGS),
        prelude_flags=flags,
        inputs=inputs,
    )
    return mark_timeout(completed, time.monotonic() - start, COMPILE_LIMITS)


def _has_failed_probe(
    completed: CompletedProcess, queries: ConstantQueries, source: str
) -> bool:
    """Tell whether a program does not compile for what it is asked, not for its kernels."""
    if not completed.exit_code:
        return False

    line = find_probe_line(queries, source)

    return f"{SOURCE_NAME}:{line}:" in completed.text


def _describe_program(work: Path) -> str:
    """Return what a program says of itself when it is started without a job."""
    limits = Limits(seconds=_DESCRIPTION_SECONDS)
    completed = run_in_work_folder((f"./{PROGRAM_NAME}",), work, limits)
    return completed.output.decode("utf-8", "replace")


def _list_compile_flags(unit: KernelUnit, options: BuildOptions) -> tuple[str, ...]:
    architecture = choose_architecture(unit)
    return get_cpu_compile_flags(
        standard=unit.standard,
        lanes=options.warp_size or architecture.warp_size,
        macros=architecture.macro_flags,
        trace=options.trace,
        contract_floats=options.contract_fma,
        count_branches=options.count_branches,
        sanitise=options.sanitise,
        fast_compile=options.fast_build,
        zero_locals=options.zero_locals,
        soil_locals=options.soil_locals,
    )


def _explain_compile_failure(
    unit: KernelUnit, options: BuildOptions, completed: CompletedProcess
) -> Program:
    if completed.timed_out:
        return _build_failed_program(
            unit,
            options,
            Status.FAIL,
            "compile-timeout",
            f"no result after {COMPILE_LIMITS.cpu_seconds} s",
        )

    diagnostics = compiler_messages.parse_diagnostics(completed.text)
    errors = [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.severity in ("error", "fatal")
    ]

    if errors:
        first = errors[0]
        place = f"{first.path}:{first.line}: " if first.path else ""
        message = f"{place}{errors[0].message}"
    else:
        message = completed.text.strip().partition("\n")[0]

    return _build_failed_program(
        unit,
        options,
        Status.FAIL,
        "compile-error",
        message[:_MAX_MESSAGE_LENGTH],
        diagnostics,
    )


def _build_failed_program(
    unit: KernelUnit,
    options: BuildOptions,
    status: Status,
    code: str,
    message: str,
    diagnostics: tuple[Diagnostic, ...] = (),
) -> Program:
    verdict = Verdict(status=status, code=code, message=message)
    return Program(
        unit_digest=unit.digest,
        options=options,
        verdict=verdict,
        diagnostics=diagnostics,
    )
