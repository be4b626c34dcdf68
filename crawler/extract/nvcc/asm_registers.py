"""Escape special registers in inline assembly (`%%laneid`), as clang requires."""

from __future__ import annotations

import re
from typing import Final

# a declaration as it is written: its strings are what changes, so they are stepped through one
# by one; in a comment nobody reads the change
_ASM: Final = re.compile(
    r"\b(?:asm|__asm|__asm__)\s*+(?:volatile|__volatile__)?\s*+\(\s*+"
)
_PLAIN_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"\s*+')
_RAW_STRING_OPENING: Final = re.compile(r'R"([^\s()\\"]{0,16})\(')
_BLANKS: Final = re.compile(r"\s*+")
# `%0` is an operand, `%x1` one with a modifier, `%%laneid` is escaped already
_UNESCAPED_REGISTER: Final = re.compile(r"(?<!%)%(?=[A-Za-z_](?:[A-Za-z_]|\W|\Z))")


def escape_asm_registers(text: str) -> str:
    """Return a text whose assembly with operands writes `%%laneid`.

    nvcc takes `%laneid` too, clang does not.
    """
    if "asm" not in text:
        return text

    pieces: list[str] = []
    done = 0
    # what strings hold is no assembly of its own, and is read once
    while assembly := _ASM.search(text, done):
        end = _find_strings_end(text, assembly.end())
        piece = text[done:end]
        if text.startswith(":", end):
            strings = text[assembly.start() : end]
            piece = text[done : assembly.start()]
            piece += _UNESCAPED_REGISTER.sub("%%", strings)

        pieces.append(piece)
        done = end

    return "".join(pieces) + text[done:]


def _find_strings_end(text: str, start: int) -> int:
    """Return where the strings that begin at a place, and the blanks behind them, end."""
    end = start
    while True:
        plain = _PLAIN_STRING.match(text, end)
        if plain:
            end = plain.end()
            continue

        opening = _RAW_STRING_OPENING.match(text, end)
        if opening is None:
            return end

        closing = f'){opening[1]}"'
        closing_start = text.find(closing, opening.end())
        # one that is never closed is all that is left
        if closing_start < 0:
            return len(text)

        blanks = _BLANKS.match(text, closing_start + len(closing))
        end = blanks.end() if blanks else closing_start + len(closing)
