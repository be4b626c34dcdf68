"""The words that say where a function runs, and where they may stand in its declaration."""

from __future__ import annotations

from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import list_child_cursors
from crawler.extract.clang.declarations import Declaration

DEVICE_WORD: Final = "__device__"
HOST_WORD: Final = "__host__"
_WORD_BY_ATTRIBUTE: Final = {
    CursorKind.CUDAHOST_ATTR: HOST_WORD,
    CursorKind.CUDADEVICE_ATTR: DEVICE_WORD,
}


def list_target_words(function: Cursor) -> list[str]:
    """Return the words that a declaration of a function has, in their order."""
    return [
        _WORD_BY_ATTRIBUTE[child.kind]
        for child in list_child_cursors(function)
        if child.kind in _WORD_BY_ATTRIBUTE
    ]


def begins_with_template_head(declaration: Declaration) -> bool:
    """Tell whether a declaration is written as a template, or as a specialisation of one."""
    lexemes = declaration.source.lexemes_between(declaration.start, declaration.end)
    return bool(lexemes) and lexemes[0].text == "template"


def find_specifiers(source: SourceText, start: int, end: int) -> int:
    """Return where a declaration goes on behind its template heads, one, more or none."""
    lexemes = source.lexemes_between(start, end)
    angles = brackets = 0
    is_in_head = False
    for lexeme in lexemes:
        if not is_in_head and lexeme.text != "template":
            return lexeme.offset

        is_in_head = True
        brackets += lexeme.text.count("(") - lexeme.text.count(")")
        # `int N = (3 > 2)` closes nothing
        if not brackets:
            angles += lexeme.text.count("<") - lexeme.text.count(">")
            if not angles and lexeme.text.endswith(">"):
                is_in_head = False

    return start
