"""Source text with comments and literals masked, every offset preserved."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import Final

from crawler.cpp.identifiers import (
    KEYWORDS_BEFORE_GLOBAL_SCOPE,
    NAME,
    is_word_character,
)
from crawler.cpp.lexer import TokenKind
from crawler.cpp.masked.opaque_parts import (
    OpaquePart,
    find_opaque_parts,
    tokenize_opaque_parts,
)

WHITESPACE: Final = " \t\r\n\f\v"
WHITESPACE_PATTERN: Final = r"[ \t\r\n\f\v]*+"
_MASK: Final = '"'
"""What stands for each character of a literal, a header or a message: something unknown."""
_BLANKED_PUNCTUATION: Final = str.maketrans(
    {code: " " for code in range(128) if not is_word_character(chr(code))}
)
# backwards from a place of masked code, where no lexer can begin
_NUMBER_AT_END: Final = re.compile(
    r"(?:\.[0-9]|(?<![\w.])[0-9])(?:[eEpP][+-]|'?[0-9A-Za-z_.])*\Z"
)
_LONGEST_NUMBER: Final = 64
_NO_QUALIFIERS: Final = KEYWORDS_BEFORE_GLOBAL_SCOPE | {
    "delete",
    "do",
    "inline",
    "namespace",
    "static",
    "using",
    "volatile",
}


class MaskedSource:
    """A text, and the same text with all blanked that is no code.

    Every place is the same in both.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = find_opaque_parts(text)
        self.code = _mask_parts(text, self._parts)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name in the code, keywords and numbers among them."""
        if self.code.isascii():
            return frozenset(self.code.translate(_BLANKED_PUNCTUATION).split())

        return frozenset(NAME.findall(self.code))

    @property
    def header_ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the place of each included header, with its brackets or quotes."""
        return (
            (part.start, part.end)
            for part in self._parts
            if part.kind is TokenKind.HEADER
        )

    def line_number(self, offset: int) -> int:
        """Return the line of a place, from 1."""
        return bisect_left(self._line_ends, offset) + 1

    @cached_property
    def _line_ends(self) -> list[int]:
        # one character more at the beginning of each line but the first stands for the end of
        # the line before
        lines = self.text.replace("\n", "\n ").split("\n")
        return list(accumulate(map(len, lines)))

    def find_word_offsets(self, word: str) -> Iterator[int]:
        """Yield where a name stands as a whole name, in order."""
        code = self.code
        size = len(word)
        start = code.find(word)

        while start >= 0:
            end = start + size
            before = code[start - 1 : start]
            after = code[end : end + 1]
            # `add` is no word of `add_kernel`
            is_part_of_word = is_word_character(before) or is_word_character(after)

            if not is_part_of_word and not self._is_in_number(start):
                yield start

            start = code.find(word, end)

    def token_before(self, offset: int) -> tuple[int, str]:
        """Return where the token before a place begins, and its text; empty where there is none."""
        code = self.code
        while offset and code[offset - 1] in WHITESPACE:
            offset -= 1

        # a name or a number, to its first character
        end = offset
        while offset and is_word_character(code[offset - 1]):
            offset -= 1

        if offset < end or not end:
            return offset, code[offset:end]

        # else a sign: `->` and `::` have two characters
        is_double_sign = code.endswith(("->", "::"), 0, end)
        start = end - 2 if is_double_sign else end - 1

        return start, code[start:end]

    def has_qualifier(self, offset: int) -> bool:
        """Tell whether a name at a place is qualified: `a::name`, but not `return ::name`."""
        scope_start, scope = self.token_before(offset)
        if scope != "::":
            return False

        _, qualifier = self.token_before(scope_start)
        is_name = is_word_character(qualifier[-1:]) or qualifier == ">"
        return is_name and qualifier not in _NO_QUALIFIERS

    def token_start_after(self, offset: int) -> str:
        """Return `<<<` or `::` where a place is followed by one, else the next character.

        Blanks between are skipped. At the end of the text the answer is empty.
        """
        code = self.code
        size = len(code)

        while offset < size and code[offset] in WHITESPACE:
            offset += 1

        for sign in ("<<<", "::"):
            if code.startswith(sign, offset):
                return sign

        return code[offset : offset + 1]

    def _is_in_number(self, offset: int) -> bool:
        """Tell whether a number goes on here, as in `1.f`."""
        if self.code[offset - 1 : offset] not in (".", "'", "+", "-"):
            return False

        number_start = max(0, offset - _LONGEST_NUMBER)
        return _NUMBER_AT_END.search(self.code, number_start, offset) is not None


def mask_exactly(text: str) -> MaskedSource:
    """Return the masked source that the tokenizer gives: slower, and right for any text."""
    source = MaskedSource("")
    source.text = text
    source._parts = tokenize_opaque_parts(text)
    source.code = _mask_parts(text, source._parts)

    return source


def _mask_parts(text: str, parts: Iterable[OpaquePart]) -> str:
    pieces: list[str] = []
    copied_end = 0

    for start, end, kind in parts:
        pieces.append(text[copied_end:start])
        mask = " " if kind is TokenKind.COMMENT else _MASK
        pieces.append(mask * (end - start))
        copied_end = end

    pieces.append(text[copied_end:])

    code = "".join(pieces)
    if "\\" not in code:
        return code

    # a line end behind a backslash joins two lines: neither is code
    return code.replace("\\\r\n", "   ").replace("\\\n", "  ")
