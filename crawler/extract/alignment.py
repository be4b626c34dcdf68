"""`__shared__ alignas(16) float tile[32]`: nvcc takes it, clang wants `alignas` in front."""

from __future__ import annotations

import re
from typing import Final

_BEHIND: Final = re.compile(
    r"\b((?:(?:extern|static)\s+)?__shared__\s+(?:(?:extern|static)\s+)?)"
    r"(alignas\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)"
)


def alignas_first(text: str) -> str:
    """Return code with every `alignas` behind `__shared__` in front of it."""
    return _BEHIND.sub(r"\2\1", text) if "alignas" in text else text
