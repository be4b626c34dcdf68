"""The libraries that programs of this machine load when they start."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from crawler import process
from crawler.process_limits import Limits

# e.g. `libz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x…)`, and `/lib64/ld-linux-x86-64.so.2 (0x…)`
_LOADED: Final = re.compile(r"^\s*(?:\S+ => )?(/\S+) \(0x", re.MULTILINE)
_LIMITS: Final = Limits(seconds=20)
_SYSTEM_PATH: Final = "/usr/bin:/bin"


def list_loaded_libraries(programs: Iterable[Path]) -> tuple[Path, ...]:
    """Return what the loader maps for `programs`, the loader too; none for scripts."""
    return _list_loaded_libraries(tuple(sorted(set(programs))))


@cache
def _list_loaded_libraries(programs: tuple[Path, ...]) -> tuple[Path, ...]:
    if not programs:
        return ()

    # it belongs to the C library, whatever is on the path
    loader = shutil.which("ldd") or shutil.which("ldd", path=_SYSTEM_PATH)
    if loader is None:
        return ()

    answer = process.run([loader, *map(str, programs)], limits=_LIMITS)
    # e.g. `/usr/lib/llvm-19/bin/../lib/libclang-cpp.so`
    names = map(os.path.normpath, _LOADED.findall(answer.text))
    return tuple(sorted(map(Path, set(names))))
