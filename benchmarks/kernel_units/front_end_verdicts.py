"""Verdicts of the clang front end on kernel units, cached one line a unit."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.json_lines import read_json_lines
from crawler import headers, process
from crawler.cpp import language_standard
from crawler.model import Dialect, Kernel, KernelUnit
from crawler.process_limits import Limits
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags
from crawler.validate.toolchains import compiler_messages
from crawler.validate.toolchains.compile_verdicts import UNKNOWN_NAME_PATTERN
from crawler.validate.toolchains.precompiled_headers import (
    STALE_HEADER_PATTERN,
    find_prelude,
    precompile_prelude,
)

_TARGETS = {Dialect.CUDA: "sm_80", Dialect.HIP: "gfx90a"}
_ONE_UNIT = Limits(seconds=1200, cpu_seconds=300, memory_bytes=6 << 30)
_QUIET = (
    "-w",
    "-ferror-limit=3",
    "-fno-caret-diagnostics",
    "-fno-crash-diagnostics",
    "-fsyntax-only",
)
_PLAIN_HEADERS = ("-Xclang", "-fno-cxx-modules")


def compile_units(
    kernels: Sequence[Kernel], cache_file: Path, deadline: float
) -> tuple[dict[str, str], float]:
    """Return what the compiler says of each unit, by digest, empty where it compiles; and the
    seconds that it took.

    Those that the time does not suffice for are left out.
    """
    known_before = {
        tuple(line[:2]): line for line in read_json_lines(cache_file, end="]")
    }
    verdicts: dict[str, str] = {}
    total = 0.0
    with cache_file.open("a") as cache:
        for unit in {
            kernel.unit.digest: kernel.unit for kernel in kernels if kernel.unit
        }.values():
            line = known_before.get((unit.digest, headers.headers_digest()))
            if line is None and time.monotonic() > deadline:
                continue
            if line is None:
                line = [unit.digest, headers.headers_digest(), *_compile_unit(unit)]
                cache.write(json.dumps(line) + "\n")
                cache.flush()
            verdicts[unit.digest] = line[2]
            total += line[3]
    return verdicts, total


def _compile_unit(unit: KernelUnit) -> tuple[str, float]:
    """Return the first error of a unit, as clang's front end sees it, and the seconds of CPU
    that it took.
    """
    clang = discovery.find_clang()
    assert clang is not None, "run deploy/bootstrap"
    flags = get_compile_flags(unit.dialect, _TARGETS[unit.dialect], unit.standard)
    flags += (
        _PLAIN_HEADERS if unit.standard != language_standard.DEFAULT_STANDARD else ()
    )
    header = precompile_prelude(find_prelude(unit.source), clang.path, flags)
    before = _get_children_seconds()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "unit.hip" if unit.dialect is Dialect.HIP else "unit.cu")
        file.write_text(unit.source, "utf-8", "surrogateescape")
        for use in (("-include-pch", str(header)), ()) if header else ((),):
            ended = process.run(
                [str(clang.path), *flags, *use, *_QUIET, str(file)], limits=_ONE_UNIT
            )
            if not ended.exit_code or not STALE_HEADER_PATTERN.search(ended.text):
                break
    seconds = round(_get_children_seconds() - before, 2)
    return _explain_failure(ended, seconds), seconds


def _explain_failure(ended: process.CompletedProcess, seconds: float) -> str:
    if ended.timed_out or (ended.exit_code and seconds >= _ONE_UNIT.cpu_seconds):
        return "compile-timeout"
    if not ended.exit_code:
        return ""
    errors = (
        diagnostic
        for diagnostic in compiler_messages.parse_diagnostics(ended.text)
        if diagnostic.severity in ("error", "fatal")
    )
    first = next(errors, None)
    return (
        f"line {first.line}: {first.message}"
        if first
        else f"compile-crashed: {ended.text[-300:]}"
    )


def _get_children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def classify_failure(unit: KernelUnit, message: str) -> str:
    """Return why a unit does not compile, by the code that its verdict would have."""
    if not message or message.startswith("compile-"):
        return message
    lacks = unit.missing_headers and UNKNOWN_NAME_PATTERN.search(message)
    return (
        f"missing-header: {message}; {', '.join(unit.missing_headers[:3])}"
        if lacks
        else f"compile-error: {message}"
    )
