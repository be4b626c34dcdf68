"""Precompile the headers that several kernel units begin with.

What is tried for the kernels of a source differs in the last lines of its text, and the headers
above may take ten times as long as all else.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from clang import cindex

from crawler.cpp.comments import blank
from crawler.extract.clang.precompiled_preludes import clang_index, scratch_folder

MIN_SECONDS: Final = 0.25
"""CPU seconds of a parse of a unit behind which the headers of the next are worth it."""
MAX_KEPT: Final = 8
"""Precompiled headers of a process: each takes some five megabytes."""
_MAX_KNOWN: Final = 2_000
# CXTranslationUnit_Flags of libclang
_INCOMPLETE: Final = 0x02
_FOR_SERIALIZATION: Final = 0x10
# a unit is our own text as far as its headers go: comments of a line, then includes
_LEADING_INCLUDES: Final = re.compile(
    r"\A(?://[^\n]*+\n)*+((?:#include <[^>\n]++>\n)*+)"
)
_INCLUDE_OPTION: Final = "-include"
_Key = tuple[str, tuple[str, ...]]
"""The lines that include, and the flags that they are read with."""


def split_includes(source: str) -> tuple[str, str]:
    """Return the lines that include the headers which a unit's text begins with, and the text
    with blanks in their place, so that all else keeps its own; no lines where it begins otherwise.
    """
    match = _LEADING_INCLUDES.match(source)
    if match is None:
        return "", source

    start, end = match.span(1)
    blanked = source[:start] + blank(match[1]) + source[end:]
    return match[1], blanked


def drop_include_options(flags: Sequence[str]) -> Iterator[str]:
    """Yield flags but for those that include a header."""
    remaining = iter(flags)
    for flag in remaining:
        if flag == _INCLUDE_OPTION:
            next(remaining, None)
        else:
            yield flag


class PrecompiledIncludes:
    """The headers that units of this process began with, precompiled where that pays."""

    def __init__(self) -> None:
        self._slow_keys: dict[_Key, None] = {}
        # the last one that served is the last here; an empty path where libclang can make none
        self._paths: OrderedDict[_Key, str] = OrderedDict()

    def note_seconds(self, lines: str, flags: Sequence[str], seconds: float) -> None:
        """Keep in mind how long a unit took that begins so, without its headers precompiled."""
        if seconds < MIN_SECONDS:
            return
        # the prelude alone is precompiled anyway
        if lines.count("\n") < 2 and _INCLUDE_OPTION not in flags:
            return
        if len(self._slow_keys) >= _MAX_KNOWN:
            self._slow_keys.clear()

        self._slow_keys[lines, tuple(flags)] = None

    def prepare(self, lines: str, flags: Sequence[str]) -> str:
        """Return the headers that `lines` and `flags` include, precompiled; empty where they are
        not.

        They are made for the second unit that begins so, if the first one took long.
        """
        key = (lines, tuple(flags))
        if key not in self._slow_keys:
            return ""
        if key not in self._paths:
            self._paths[key] = _precompile(key)
            self._drop_oldest()

        self._paths.move_to_end(key)
        return self._paths[key]

    def _drop_oldest(self) -> None:
        kept_keys = [key for key, path in self._paths.items() if path]
        for key in kept_keys[:-MAX_KEPT]:
            Path(self._paths.pop(key)).unlink(missing_ok=True)


def _precompile(key: _Key) -> str:
    """Return the path of the precompiled headers; empty where they have errors of their own,
    which each unit must show.
    """
    lines, flags = key
    folder = Path(scratch_folder().name)
    name = f"includes-{sha256(repr(key).encode()).hexdigest()[:32]}"
    header = folder / f"{name}.h"
    precompiled = folder / f"{name}.pch"
    header.write_text(lines, "latin-1")
    # else clang would instantiate their templates at the end of every unit
    arguments = [*flags, "-fpch-instantiate-templates"]
    try:
        clang_unit = clang_index().parse(
            str(header), args=arguments, options=_INCOMPLETE | _FOR_SERIALIZATION
        )
        if any(
            diagnostic.severity >= cindex.Diagnostic.Error
            for diagnostic in clang_unit.diagnostics
        ):
            return ""
        clang_unit.save(str(precompiled))
    except (cindex.TranslationUnitLoadError, cindex.TranslationUnitSaveError):
        return ""

    return str(precompiled)
