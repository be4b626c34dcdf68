"""Object file of the emulator runtime, compiled once and linked with every program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler import process
from crawler.process import Limits
from crawler.validate.toolchains.precompiled_headers import precompiled_key

UNIT_FLAGS: Final = ("-DKERNELSET_PART=1",)
"""The flag of a unit that is linked with it."""
_ITSELF: Final = ("-DKERNELSET_PART=2", "-c")
_TEXT: Final = "#include <kernelset/cuda.cuh>\n#include <kernelset/cpu/main.h>\n"
_NAME: Final = "common.o"


def build_runtime_object(compiler: Path, flags: Sequence[str]) -> Path | None:
    """Return the object that goes with units of exactly these flags, or `None` where it cannot
    be made.

    Ask before every use: another process may have dropped it since.
    """
    name = f"common-{precompiled_key(_TEXT, compiler, (*flags, *_ITSELF))}"
    return None if name in _impossible() else _made(name, compiler, flags)


def _made(name: str, compiler: Path, flags: Sequence[str]) -> Path | None:
    def make(folder: Path) -> bool:
        source, target = folder / "common.cpp", folder / _NAME
        source.write_text(_TEXT)
        words = (str(compiler), *flags, *_ITSELF, str(source), "-o", str(target))
        return (
            process.run(words, cwd=folder, limits=Limits(seconds=60)).exit_code == 0
            and target.is_file()
        )

    made = folders.get_or_build(name, make, required_file=_NAME)
    if made is None:
        _impossible().add(name)
        return None
    return made / _NAME


@cache
def _impossible() -> set[str]:
    return set()
