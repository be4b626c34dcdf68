"""Move `alignas` in front of `__shared__`: nvcc accepts it behind, clang does not."""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.lexer import GAPS

# a declaration that clang would not parse, with brackets of two levels in the argument:
# `alignas(sizeof(T))`
_ALIGNAS_BEHIND_SHARED: Final = re.compile(
    rf"\b((?:(?:extern|static)\s+)?__shared__\b{GAPS}(?:(?:extern|static)\b{GAPS})?)"
    r"(alignas\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)"
)


def move_alignas_first(text: str) -> str:
    """Return code with every `alignas` behind `__shared__` in front of it."""
    if "alignas" not in text:
        return text
    return _ALIGNAS_BEHIND_SHARED.sub(r"\2\1", text)
