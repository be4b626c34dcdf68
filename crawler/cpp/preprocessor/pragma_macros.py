"""Macros that expand to `#pragma`: nvcc accepts them, clang only `_Pragma`."""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.files.source_text import SourceText, cache_per_source

# e.g. `#define UNROLL #pragma unroll`; of the lines of a file only those that a backslash does
# not continue
_PRAGMA_MACRO: Final = re.compile(
    r"^([ \t]*+#[ \t]*+define[ \t]++\w++(?:\([^()\n]*+\))?[ \t]++)#[ \t]*+pragma\b([^\n\\]*+)$",
    re.MULTILINE,
)


@cache_per_source
def has_pragma_macros(source: SourceText) -> bool:
    """Tell whether a file defines such a macro."""
    return "pragma" in source.raw and _PRAGMA_MACRO.search(source.raw) is not None


def blank_pragma_macros(text: str) -> str:
    """Return a text whose macros of that kind stand for nothing.

    Every character keeps its place.
    """
    if "pragma" not in text:
        return text

    return _PRAGMA_MACRO.sub(lambda macro: macro[1].ljust(len(macro[0])), text)


def convert_to_pragma_operator(definition: str) -> str:
    """Return the definition of a macro, a `#pragma` in it as `_Pragma`."""
    if "pragma" not in definition:
        return definition

    return _PRAGMA_MACRO.sub(_spell_pragma_operator, definition)


def _spell_pragma_operator(macro: re.Match[str]) -> str:
    pragma = macro[2].strip().replace("\\", "\\\\").replace('"', '\\"')
    return f'{macro[1]}_Pragma("{pragma}")'
