"""Separate the operands of inline assembly by commas, as clang requires."""

from __future__ import annotations

import re
from typing import Final

# a declaration as it is written, for there is no parse before it: an assembly with operands,
# that is its strings, the first colon, and all up to the end of the statement
_ASM_WITH_OPERANDS: Final = re.compile(
    r"\b(?:asm|__asm|__asm__)\s*+(?:volatile|__volatile__)?\s*+"
    r"""\(\s*+(?:"(?:[^"\\\n]|\\.)*+"\s*+)++:[^;]{0,4000}+;"""
)
# `"r"(a) "r"(b)`, or with a name: `"r"(a) [b] "r"(b)`
_MISSING_COMMA: Final = re.compile(
    r"""\)(?=\s*+(?:\[\w{1,80}\]\s*+)?"[=+&%]{0,3}[A-Za-z0-9]{1,3}"\s*+\()"""
)


def separate_asm_operands(text: str) -> str:
    """Return a text whose assembly has a comma between any two operands.

    nvcc takes `"r"(a) "r"(b)` too, clang does not.
    """
    if "asm" not in text:
        return text
    return _ASM_WITH_OPERANDS.sub(
        lambda assembly: _MISSING_COMMA.sub("),", assembly[0]), text
    )
