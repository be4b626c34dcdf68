"""Run a compiler on a kernel unit inside the sandbox."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler import headers, sandbox
from crawler.libraries.view import list_readable_folders
from crawler.model import Dialect, KernelUnit
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.work_folder import open_work_folder
from crawler.toolchains import system_files
from crawler.validate.toolchains.processor_limit import mark_timeout

CLOCK_FACTOR: Final = 5
"""How much longer than its share of the processor a compiler may take, beside other work."""
COMPILE_LIMITS: Final = Limits(
    seconds=CLOCK_FACTOR * 120,
    cpu_seconds=120,
    memory_bytes=6 << 30,
    file_bytes=256 << 20,
)
MAX_LOG_BYTES: Final = 1 << 20
CLANG_MESSAGE_FLAGS: Final = (
    "-w",
    "-ferror-limit=50",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-fno-crash-diagnostics",
)

_SECONDS_PER_INSTANTIATION: Final = 1
_MAX_TIME_FACTOR: Final = 8
_SOURCE_FILES: Final = {Dialect.HIP: "unit.hip", Dialect.CUDA: "unit.cu"}
_OBJECT_FILE: Final = "unit.out"


@dataclass(frozen=True, slots=True)
class CompilerRun:
    """A finished compiler run and what it left."""

    process: CompletedProcess
    object: bytes
    log: str


def compile_in_sandbox(
    unit: KernelUnit,
    compiler: tuple[str, ...],
    precompiled_header: Path | None = None,
    *,
    readable_folders: tuple[Path, ...] = (),
    message_flags: tuple[str, ...] = CLANG_MESSAGE_FLAGS,
) -> CompilerRun:
    """Compile a unit inside the sandbox, where the folders `readable_folders` can be read, too."""
    command = [*compiler]
    if precompiled_header:
        command += ["-include-pch", str(precompiled_header)]

    source_file = _SOURCE_FILES[unit.dialect]
    command += [*message_flags, source_file, "-o", _OBJECT_FILE]
    readable = (
        headers.ROOT,
        folders.ensure_cache_folder(),
        *list_readable_folders(unit.installed_libraries),
        *readable_folders,
    )

    with open_work_folder("build") as work:
        (work / source_file).write_text(unit.source, "utf-8", "surrogateescape")
        process = run_in_folder(
            command,
            work,
            output_file=_OBJECT_FILE,
            limits=compile_limits(unit),
            readable_folders=readable,
        )

        content = read_regular_file(work / _OBJECT_FILE)
        return CompilerRun(process, content, process.text)


def compile_limits(unit: KernelUnit) -> Limits:
    """Return the limits of a unit: one of hundreds of instantiations is no bomb, and each has
    its share of time.
    """
    seconds = COMPILE_LIMITS.cpu_seconds
    own_seconds = seconds + _SECONDS_PER_INSTANTIATION * len(unit.instantiations)
    cpu_seconds = min(own_seconds, _MAX_TIME_FACTOR * seconds)

    return replace(
        COMPILE_LIMITS, cpu_seconds=cpu_seconds, seconds=CLOCK_FACTOR * cpu_seconds
    )


def run_in_folder(
    command: Sequence[str],
    work: Path,
    *,
    output_file: str,
    limits: Limits,
    readable_folders: Sequence[Path] = (),
) -> CompletedProcess:
    """Run a tool in the sandbox, in a folder that it may write; `output_file` is copied back."""
    mounts = [Mount(source=folder, target=str(folder)) for folder in readable_folders]
    mounts.append(
        Mount(source=work, target=str(work), writable=True, copy_back=(output_file,))
    )

    start = time.monotonic()
    completed = sandbox.run(
        command,
        mounts=mounts,
        cwd=str(work),
        limits=limits,
        keep=MAX_LOG_BYTES,
        plain_if_allowed=True,
        system=system_files.list_compiler_files(),
    )
    return mark_timeout(completed, time.monotonic() - start, limits)


def read_regular_file(path: Path) -> bytes:
    """Return what a tool has written, empty for no file: it may have left a link instead."""
    if not path.is_file() or path.is_symlink():
        return b""

    return path.read_bytes()
