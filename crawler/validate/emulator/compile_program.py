"""Run the compiler of emulated programs in the sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler import cache, headers, sandbox
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.toolchains import discovery, system_files
from crawler.validate.toolchains.aligned_copies import (
    UNOPTIMISED_CODE,
    are_copies_checked,
    check_copies,
    may_misalign,
)
from crawler.validate.toolchains.precompiled_headers import (
    STALE_HEADER_PATTERN,
    find_prelude,
    precompile_prelude,
)

COMPILE_LIMITS: Final = Limits(
    seconds=600, cpu_seconds=120, memory_bytes=6 << 30, file_bytes=256 << 20
)
"""The clock goes on while other work has the processor: it is only there for what sleeps."""
SOURCE_NAME: Final = "unit.cpp"
PROGRAM_NAME: Final = "program"
_CODE_NAME: Final = "unit.ll"
_MAX_LOG_BYTES: Final = 1 << 20


def compile_source(
    text: str,
    unit_source: str,
    clang: discovery.Clang,
    work: Path,
    *,
    command_flags: tuple[str, ...],
    prelude_flags: tuple[str, ...],
    inputs: tuple[str, ...] = (),
) -> CompletedProcess:
    """Compile `text` into `PROGRAM_NAME` in `work`, together with `inputs`.

    The prelude of the unit is compiled before, for `prelude_flags`.
    """
    # bytes of a source that are no UTF-8 stay as they are
    (work / SOURCE_NAME).write_text(text, "utf-8", "surrogateescape")
    compiler = (str(clang.path), *command_flags)
    files = (SOURCE_NAME, *inputs, "-o", PROGRAM_NAME)
    checks_copies = are_copies_checked(command_flags) and may_misalign(unit_source)
    if checks_copies:
        files = (SOURCE_NAME, *UNOPTIMISED_CODE, "-o", PROGRAM_NAME)
    header = precompile_prelude(find_prelude(unit_source), clang.path, prelude_flags)
    pch = () if header is None else ("-include-pch", str(header))
    completed = run_in_work_folder((*compiler, *pch, *files), work, COMPILE_LIMITS)
    # another process may have replaced a file that the header was made of
    if completed.exit_code and STALE_HEADER_PATTERN.search(completed.text):
        completed = run_in_work_folder((*compiler, *files), work, COMPILE_LIMITS)
    if completed.exit_code or not checks_copies:
        return completed

    code = (work / PROGRAM_NAME).read_text("utf-8", "surrogateescape")
    (work / _CODE_NAME).write_text(check_copies(code), "utf-8", "surrogateescape")
    files = ("-x", "ir", _CODE_NAME, *inputs, "-o", PROGRAM_NAME)
    return run_in_work_folder((*compiler, *files), work, COMPILE_LIMITS)


def run_in_work_folder(
    argv: tuple[str, ...], work: Path, limits: Limits
) -> CompletedProcess:
    """Run a command that may write nothing but its program."""
    cache_folder = cache.ensure_cache_folder()
    mounts = [
        Mount(source=headers.ROOT, target=str(headers.ROOT)),
        Mount(source=cache_folder, target=str(cache_folder)),
        Mount(source=work, target=str(work), writable=True, copy_back=(PROGRAM_NAME,)),
    ]

    return sandbox.run(
        argv,
        mounts=mounts,
        cwd=str(work),
        limits=limits,
        keep=_MAX_LOG_BYTES,
        system=system_files.list_compiler_files(),
    )
