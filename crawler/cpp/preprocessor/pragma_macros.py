"""Macros that expand to `#pragma`: nvcc accepts them, clang only `_Pragma`."""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.source_text import SourceText, cache_per_source

_DEFINED: Final = re.compile(
    r"^([ \t]*+#[ \t]*+define[ \t]++\w++(?:\([^()\n]*+\))?[ \t]++)#[ \t]*+pragma\b([^\n\\]*+)$",
    re.MULTILINE,
)


@cache_per_source
def has_pragma_macros(source: SourceText) -> bool:
    """Tell whether a file defines such a macro."""
    return "pragma" in source.raw and _DEFINED.search(source.raw) is not None


def blank_pragma_macros(text: str) -> str:
    """Return a text whose macros of that kind stand for nothing; every character keeps its
    place.
    """
    return (
        _DEFINED.sub(lambda found: found[1].ljust(len(found[0])), text)
        if "pragma" in text
        else text
    )


def convert_to_pragma_operator(definition: str) -> str:
    """Return the definition of a macro, one for a `#pragma` as `_Pragma`."""
    return (
        _DEFINED.sub(_as_operator, definition) if "pragma" in definition else definition
    )


def _as_operator(found: re.Match[str]) -> str:
    told = found[2].strip().replace("\\", "\\\\").replace('"', '\\"')
    return f'{found[1]}_Pragma("{told}")'
