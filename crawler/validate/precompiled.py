"""Preludes compiled once a target: HIP's headers take longer to read than a kernel to compile."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from crawler import headers, process, toolchain
from crawler.process import Limits
from crawler.validate import cache as folders

_PRELUDE: Final = re.compile(r"\A\s*#\s*include\s*<(kernelset/[\w./]+)>")
_NAME: Final = "prelude.pch"


def prelude_of(source: str) -> str:
    """Return the header that a unit begins with, empty where it is none of ours."""
    found = _PRELUDE.match(source)
    return found[1] if found else ""


@cache
def precompiled(prelude: str, compiler: Path, flags: Sequence[str]) -> Path | None:
    """Return the precompiled `prelude` for exactly these flags, or `None` where it cannot be made."""
    header = next(
        (path for path in headers.files() if path.relative_to(headers.ROOT).as_posix().endswith(f"/{prelude}")), None
    )
    if header is None:
        return None
    key = hashlib.sha256(repr((prelude, compiler, flags, toolchain.digest(), _state())).encode()).hexdigest()

    def make(folder: Path) -> bool:
        emit = ("-fsyntax-only", "-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", str(folder / _NAME))
        ended = process.run([str(compiler), *flags, *emit, str(header)], limits=Limits(seconds=60))
        return ended.exit_code == 0 and (folder / _NAME).is_file()

    made = folders.made(f"pch-{key}", make)
    return made / _NAME if made else None


def _state() -> tuple[tuple[str, int], ...]:
    """Clang refuses a precompiled header when a header's time has changed, even if its content has not."""
    return tuple((str(path), path.stat().st_mtime_ns) for path in headers.files())
