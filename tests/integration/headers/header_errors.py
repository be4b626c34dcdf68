"""Compile device code against our headers alone, and say what the compiler calls wrong."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from crawler.model import Dialect
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags


def list_errors(
    text: str, dialect: Dialect, folder: Path, arch: str = "sm_80"
) -> list[str]:
    clang = discovery.find_clang()
    assert clang is not None
    source, output = folder / "unit", folder / "output"
    source.write_text(text)
    flags = get_compile_flags(dialect, arch if dialect is Dialect.CUDA else "gfx90a")
    ended = subprocess.run(
        [clang.path, *flags, source, "-o", output],
        capture_output=True,
        text=True,
        timeout=120,
    )
    errors = re.findall(r"error: .*", ended.stderr)
    assert errors or output.stat().st_size > 0
    return errors
