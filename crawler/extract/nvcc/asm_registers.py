"""Escape special registers in inline assembly (`%%laneid`), as clang requires."""

from __future__ import annotations

import re
from typing import Final

# an assembly with operands: its strings, and the colon behind them
_ASM_WITH_OPERANDS: Final = re.compile(
    r"\b(?:asm|__asm|__asm__)\s*+(?:volatile|__volatile__)?\s*+"
    r"\(\s*+(?:(?:"
    r"""(?P<plain>"(?:[^"\\\n]|\\.)*+")"""
    r"""|(?P<raw>R"\w{0,16}\((?:[^)]|\)(?!\w{0,16}"))*+\)\w{0,16}")"""
    r")\s*+)++(?=:)"
)
# `%0` is an operand, `%%laneid` is escaped already
_UNESCAPED_REGISTER: Final = re.compile(r"(?<!%)%(?=[A-Za-z_]{2})")


def escape_asm_registers(text: str) -> str:
    """Return a text whose assembly with operands writes `%%laneid`.

    nvcc takes `%laneid` too, clang does not.
    """
    if "asm" not in text:
        return text
    return _ASM_WITH_OPERANDS.sub(
        lambda assembly: _UNESCAPED_REGISTER.sub("%%", assembly[0]), text
    )
