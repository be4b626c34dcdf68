"""Object file of the emulator runtime, compiled once and linked with every program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler import process
from crawler.process_limits import Limits
from crawler.validate.toolchains.precompiled_headers import precompiled_key

UNIT_FLAGS: Final = ("-DKERNELSET_PART=1",)
"""The flag of a unit that is linked with it."""
_RUNTIME_FLAGS: Final = ("-DKERNELSET_PART=2", "-c", "-O2")
"""However quickly a unit is compiled: this one is compiled once, and takes most of each run."""
_SOURCE: Final = "#include <kernelset/cuda.cuh>\n#include <kernelset/cpu/main.h>\n"
_OBJECT_NAME: Final = "common.o"
_LIMITS: Final = Limits(seconds=600, cpu_seconds=60)
"""The clock goes on while other work has the processor: it is only there for what sleeps."""


def build_runtime_object(compiler: Path, flags: Sequence[str]) -> Path | None:
    """Return the object that goes with units of exactly these flags, or `None` where it cannot
    be made.

    Ask before every use: another process may have dropped it since.
    """
    # the key holds the flags: objects of other flags are other objects
    key = precompiled_key(_SOURCE, compiler, (*flags, *_RUNTIME_FLAGS))
    folder_name = f"common-{key}"
    if folder_name in _failed_folder_names():
        return None

    def compile_runtime(folder: Path) -> bool:
        source = folder / "common.cpp"
        target = folder / _OBJECT_NAME
        source.write_text(_SOURCE)
        command = (
            str(compiler),
            *flags,
            *_RUNTIME_FLAGS,
            str(source),
            "-o",
            str(target),
        )

        completed = process.run(command, cwd=folder, limits=_LIMITS)

        return completed.exit_code == 0 and target.is_file()

    folder = folders.get_or_build(
        folder_name, compile_runtime, required_file=_OBJECT_NAME
    )
    if folder is None:
        _failed_folder_names().add(folder_name)
        return None

    return folder / _OBJECT_NAME


@cache
def _failed_folder_names() -> set[str]:
    """Return the names of what this process could not make: it is not tried twice."""
    return set()
