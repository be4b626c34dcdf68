"""The range of text that a declaration occupies, where it is not clang's own range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.brackets import skip_angles_backwards
from crawler.cpp.files.source_text import Lexeme, SourceText
from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.dead_branches import extend_to_whole_conditionals
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS

_KINDS_WITH_TRAILING_ATTRIBUTES: Final = {
    CursorKind.TYPEDEF_DECL,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.VAR_DECL,
}
_BIT_INT: Final = "_BitInt"
_MIN_ATTRIBUTE_TOKENS: Final = 5
"""Of `[[name]]`."""
_MAX_ATTRIBUTE_TOKENS: Final = 256
"""A bracket that is never opened must not be looked for up to the file's beginning."""
_BRACKET_STEPS: Final = {"]": 1, "[": -1}


def find_declaration_extent(cursor: Cursor, source: SourceText) -> tuple[int, int]:
    """Return the start and end of a declaration, its semicolon included.

    Where a macro makes it, that is the range of the macro's use.
    """
    lexemes = source.lexemes
    extent = cursor.extent
    clang_start = extent.start.offset
    clang_end = extent.end.offset

    first_index = source.lexeme_index(clang_start)
    head_index = _skip_outer_heads(lexemes, first_index)
    start = clang_start

    if head_index < len(lexemes):
        head_start = lexemes[head_index].offset
        start = min(clang_start, head_start)

    # each step begins where the one before has ended
    tail = _Tail(source, start, clang_end)
    tail.extend_over_macro_arguments(head_index)

    if cursor.kind in _KINDS_WITH_TRAILING_ATTRIBUTES:
        tail.extend_over_attributes()

    # its name may begin a line
    last_word = tail.text.split()[-1:]
    if cursor.kind in FUNCTION_KINDS and last_word == [cursor.spelling]:
        tail.extend_over_parameters()

    tail.extend_over_bit_count()
    tail.extend_over_semicolon()

    start = _skip_attributes_backwards(source, start)
    whole_start = extend_to_whole_conditionals(source, start, tail.end)
    return whole_start, tail.end


class _Tail:
    """The end of a declaration, extended over what clang's range leaves out."""

    def __init__(self, source: SourceText, start: int, end: int) -> None:
        self.end = end
        self._source = source
        self._lexemes = source.lexemes
        self._start = start
        self._index = source.lexeme_index(end)
        """The position of the first token behind the end."""

    @property
    def text(self) -> str:
        """The declaration as far as it is known to reach."""
        return self._source.raw[self._start : self.end]

    def extend_over_macro_arguments(self, head_index: int) -> None:
        """Extend a declaration that a macro makes to the end of its use: `DECLARE(name, int)`."""
        opening = head_index + 1
        if self._text_at(opening) != "(":
            return

        # where a macro makes a declaration, clang may end it within the macro's arguments
        head = self._lexemes[head_index]
        if head.kind is not TokenKind.NAME:
            return

        closing = self._source.find_closing_bracket(opening)
        if closing <= 0:
            return

        closing_end = self._lexemes[closing].end
        if self.end <= closing_end:
            self.end = closing_end
            self._index = closing + 1

    def extend_over_attributes(self) -> None:
        """Extend over `__attribute__((…))` behind the name."""
        lexeme_count = len(self._lexemes)
        while self._text_at(self._index) == "__attribute__":
            opening = self._index + 1
            if opening == lexeme_count:
                return

            # brackets that are never closed reach over all that follows
            closing = self._source.closing_brackets.get(opening, lexeme_count)
            self._index = closing + 1

            if closing < lexeme_count:
                self.end = self._lexemes[closing].end

    def extend_over_parameters(self) -> None:
        """Extend over parameters: clang's range may end before them."""
        while self._index < len(self._lexemes):
            if self._text_at(self._index) in (";", "{"):
                break

            # over a bracket in one step
            closing = self._source.closing_brackets.get(self._index, self._index)
            self._index = closing + 1

        last = self._lexemes[self._index - 1]
        self.end = last.end

    def extend_over_bit_count(self) -> None:
        """Extend over the number of bits of `_BitInt(128)`: clang's range ends before it."""
        if self._text_at(self._index) != "(":
            return

        last = self._lexemes[self._index - 1]
        if last.text != _BIT_INT:
            return

        closing = self._source.find_closing_bracket(self._index)
        self._index = closing + 1
        self.end = self._lexemes[closing].end

    def extend_over_semicolon(self) -> None:
        """Extend over the semicolon that follows, unless the range ends with one."""
        if self._text_at(self._index) != ";":
            return

        has_semicolon = self.text.rstrip().endswith(";")
        if not has_semicolon:
            semicolon = self._lexemes[self._index]
            self.end = semicolon.end

    def _text_at(self, index: int) -> str:
        """Return the text of a token; empty behind the last one."""
        if index >= len(self._lexemes):
            return ""
        return self._lexemes[index].text


def _skip_outer_heads(lexemes: Sequence[Lexeme], index: int) -> int:
    """Step back over the `template <…>` that clang leaves out.

    For a member template that is defined outside of its class, it leaves out those of the class.
    """
    while 0 < index < len(lexemes) and lexemes[index - 1].text == ">":
        head_index = skip_angles_backwards(lexemes, index - 1)
        if lexemes[head_index].text != "template":
            break
        index = head_index

    return index


def _skip_attributes_backwards(source: SourceText, start: int) -> int:
    """Step back over the `[[nodiscard]]` in front of a declaration, which clang leaves out."""
    lexemes = source.lexemes
    index = source.lexeme_index(start)
    while index >= _MIN_ATTRIBUTE_TOKENS and lexemes[index - 1].text == "]":
        opening = index - 1
        first = max(0, index - _MAX_ATTRIBUTE_TOKENS)
        depth = 1
        while opening > first and depth:
            opening -= 1
            depth += _BRACKET_STEPS.get(lexemes[opening].text, 0)

        # the end of an array's bound, as in `int x[n[0]]`, stands before no declaration
        if depth or lexemes[opening + 1].text != "[":
            break
        index = opening

    return min(start, lexemes[index].offset) if index < len(lexemes) else start
