"""Precompile preludes once for each compiler and set of flags."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler import headers, process
from crawler.process_limits import Limits
from crawler.toolchains import discovery

# the first lines of a unit, which are comments and an include of ours
PRELUDE_PATTERN: Final = re.compile(
    r"\A\s*+(?://[^\n]*\s*)*+#\s*include\s*<(kernelset/[\w./]+)>"
)
_PRECOMPILED_FILE: Final = "prelude.pch"
STALE_HEADER_PATTERN: Final = re.compile(
    r"\b(PCH|AST) file|precompiled|after instantiation|__va_list_tag"
)
"""What a compiler says when a precompiled header is not, or no longer, what it takes: then do
without.
"""
# what the headers instantiate is made once, and not in every unit: half of a small unit's time
_PRECOMPILE_FLAGS: Final = (
    "-fsyntax-only",
    "-fpch-instantiate-templates",
    "-Xclang",
    "-emit-pch",
)
_LIMITS: Final = Limits(seconds=600, cpu_seconds=60)
"""The clock goes on while other work has the processor: it is only there for what sleeps."""
_FAILED_KEYS: Final[set[str]] = set()
"""Keys of those that could not be made: trying each time would cost more than they save."""


def find_prelude(source: str) -> str:
    """Return the header that a unit begins with, empty where it is none of ours."""
    include = PRELUDE_PATTERN.match(source)
    return include[1] if include else ""


def precompile_prelude(
    prelude: str, compiler: Path, flags: Sequence[str]
) -> Path | None:
    """Return the precompiled `prelude` for exactly these flags, or `None` where it cannot be
    made.

    Ask before every use: another process may have dropped it since.
    """
    header = _find_header(prelude, tuple(flags))
    key = precompiled_key(prelude, compiler, tuple(flags))
    if header is None or key in _FAILED_KEYS:
        return None

    def precompile(folder: Path) -> bool:
        output = folder / _PRECOMPILED_FILE
        output_flags = ("-Xclang", "-o", "-Xclang", str(output))
        command = [
            str(compiler),
            *flags,
            *_PRECOMPILE_FLAGS,
            *output_flags,
            str(header),
        ]

        completed = process.run(command, limits=_LIMITS)
        return completed.exit_code == 0 and output.is_file()

    folder = folders.get_or_build(
        f"pch-{key}", precompile, required_file=_PRECOMPILED_FILE
    )
    if folder is None:
        _FAILED_KEYS.add(key)
        return None

    return folder / _PRECOMPILED_FILE


@cache
def _find_header(prelude: str, flags: tuple[str, ...]) -> Path | None:
    """Return the header that `#include <prelude>` means under these flags; several of our trees
    may have its name.
    """
    for flag in flags:
        if str(headers.ROOT) not in flag:
            continue

        path = Path(flag.removeprefix("-I")) / prelude
        if path.is_file():
            return path

    return None


@cache
def precompiled_key(prelude: str, compiler: Path, flags: tuple[str, ...]) -> str:
    """Return a name for what this compiler makes of a text of ours, for as long as no header
    changes.
    """
    # clang refuses a precompiled header when a header's time has changed, even if its content
    # has not
    header_times = tuple(
        (str(path), path.stat().st_mtime_ns) for path in headers.list_header_files()
    )
    identity = (
        prelude,
        compiler,
        flags,
        _PRECOMPILE_FLAGS,
        discovery.toolchain_digest(),
        header_times,
    )

    return hashlib.sha256(repr(identity).encode()).hexdigest()
