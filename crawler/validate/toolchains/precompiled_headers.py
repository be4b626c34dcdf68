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
from crawler.process import Limits
from crawler.toolchains import discovery

PRELUDE_PATTERN: Final = re.compile(
    r"\A\s*(?://[^\n]*\s*)?#\s*include\s*<(kernelset/[\w./]+)>"
)
_NAME: Final = "prelude.pch"
STALE_HEADER_PATTERN: Final = re.compile(
    r"\b(PCH|AST) file|precompiled|after instantiation|__va_list_tag"
)
"""What a compiler says when a precompiled header is not, or no longer, what it takes: then do
without.
"""
# what the headers instantiate is made once, and not in every unit: half of a small unit's time
_MAKING: Final = (
    "-fsyntax-only",
    "-fpch-instantiate-templates",
    "-Xclang",
    "-emit-pch",
)
_IMPOSSIBLE: Final[set[str]] = set()
"""Keys of those that could not be made: trying each time would cost more than they save."""


def find_prelude(source: str) -> str:
    """Return the header that a unit begins with, empty where it is none of ours."""
    found = PRELUDE_PATTERN.match(source)
    return found[1] if found else ""


def precompile_prelude(
    prelude: str, compiler: Path, flags: Sequence[str]
) -> Path | None:
    """Return the precompiled `prelude` for exactly these flags, or `None` where it cannot be
    made.

    Ask before every use: another process may have dropped it since.
    """
    header, key = (
        _header(prelude, tuple(flags)),
        precompiled_key(prelude, compiler, tuple(flags)),
    )
    if header is None or key in _IMPOSSIBLE:
        return None

    def make(folder: Path) -> bool:
        target = ("-Xclang", "-o", "-Xclang", str(folder / _NAME))
        ended = process.run(
            [str(compiler), *flags, *_MAKING, *target, str(header)],
            limits=Limits(seconds=60),
        )
        return ended.exit_code == 0 and (folder / _NAME).is_file()

    made = folders.get_or_build(f"pch-{key}", make, required_file=_NAME)
    if made is None:
        _IMPOSSIBLE.add(key)
        return None
    return made / _NAME


@cache
def _header(prelude: str, flags: tuple[str, ...]) -> Path | None:
    """Return the header that `#include <prelude>` means under these flags; several of our trees
    may have its name.
    """
    folders_of_ours = (
        Path(flag.removeprefix("-I")) for flag in flags if str(headers.ROOT) in flag
    )
    return next(
        (
            folder / prelude
            for folder in folders_of_ours
            if (folder / prelude).is_file()
        ),
        None,
    )


@cache
def precompiled_key(prelude: str, compiler: Path, flags: tuple[str, ...]) -> str:
    """Return a name for what this compiler makes of a text of ours, for as long as no header
    changes.
    """
    # clang refuses a precompiled header when a header's time has changed, even if its content
    # has not
    state = tuple(
        (str(path), path.stat().st_mtime_ns) for path in headers.list_header_files()
    )
    return hashlib.sha256(
        repr(
            (prelude, compiler, flags, _MAKING, discovery.toolchain_digest(), state)
        ).encode()
    ).hexdigest()
