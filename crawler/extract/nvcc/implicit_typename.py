"""Add the `typename` that nvcc lets template arguments omit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from crawler.cpp.source_text import SourceText, cache_per_source

_PARAMETER: Final = re.compile(r"\b(?:typename|class)\s+([A-Za-z_]\w*)\b(?!\s*::)")
_MEMBER: Final = re.compile(
    r"\b(\w+\s*<\s*)(([A-Za-z_]\w*)(?:::[A-Za-z_]\w*)*::([A-Za-z_]\w*))(?=\s*[,>])"
)
_TYPE: Final = re.compile(r"\busing\s+([A-Za-z_]\w*)\s*=")
_VALUE: Final = re.compile(
    r"\b(?:constexpr|const|static)\b[\w\s:<>,*&]{0,120}?\b([A-Za-z_]\w*)\s*[={;(]"
)


def find_type_only_names(sources: Iterable[SourceText]) -> frozenset[str]:
    """Return the names that some files give to types and to nothing else."""
    told = [_told(source) for source in sources]
    types: frozenset[str] = frozenset().union(*(one for one, _ in told))
    return types.difference(*(values for _, values in told))


def insert_typename(text: str, type_names: Collection[str]) -> str:
    """Return a declaration with `typename` in front of such template arguments as are types by
    their names.
    """
    parameters = frozenset(_PARAMETER.findall(text)) if "::" in text else frozenset()
    if not parameters:
        return text

    def mended(found: re.Match[str]) -> str:
        is_type = found[3] in parameters and found[4] in type_names
        return f"{found[1]}typename {found[2]}" if is_type else found[0]

    return _MEMBER.sub(mended, text)


@cache_per_source
def _told(source: SourceText) -> tuple[frozenset[str], frozenset[str]]:
    if "using" not in source.raw:
        return frozenset(), frozenset()
    return frozenset(_TYPE.findall(source.raw)), frozenset(_VALUE.findall(source.raw))
