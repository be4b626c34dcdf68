"""Escape special registers in inline assembly (`%%laneid`), as clang requires."""

from __future__ import annotations

import re
from typing import Final

_TEMPLATE: Final = re.compile(
    r"""\b(?:asm|__asm|__asm__)\s*+(?:volatile|__volatile__)?\s*+\(\s*+(?:"(?:[^"\\\n]|\\.)*+"\s*+)++(?=:)"""
)
_LONE: Final = re.compile(r"(?<!%)%(?=[A-Za-z_]{2})")


def escape_asm_registers(text: str) -> str:
    """Return a text whose assembly with operands writes `%%laneid`: nvcc takes `%laneid` too,
    clang does not.
    """
    return (
        _TEMPLATE.sub(lambda found: _LONE.sub("%%", found.group()), text)
        if "asm" in text
        else text
    )
