"""Move `alignas` in front of `__shared__`: nvcc accepts it behind, clang does not."""

from __future__ import annotations

import re
from typing import Final

_BEHIND: Final = re.compile(
    r"\b((?:(?:extern|static)\s+)?__shared__\s+(?:(?:extern|static)\s+)?)"
    r"(alignas\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)"
)


def move_alignas_first(text: str) -> str:
    """Return code with every `alignas` behind `__shared__` in front of it."""
    return _BEHIND.sub(r"\2\1", text) if "alignas" in text else text
