"""Find the body of a function in its text, and tell whether it decides the function's type."""

from __future__ import annotations

from crawler.cpp.files.source_text import SourceText


def find_body(source: SourceText, start: int, end: int) -> int | None:
    """Return the offset of a function's `{`, or of the `:` of a constructor's initialisers."""
    position = source.lexeme_index(start)
    behind = source.lexeme_index(end)
    has_parameters = False
    while position < behind:
        lexeme = source.lexemes[position]
        if has_parameters and lexeme.text in ("{", ":"):
            return lexeme.offset
        if lexeme.text in ("(", "["):
            has_parameters = has_parameters or lexeme.text == "("
            position = source.closing_brackets.get(position, behind)

        position += 1

    return None


def collect_head_words(source: SourceText, start: int, end: int) -> set[str]:
    """Return the words of a function from `start` to its body, or to its end, at `end`."""
    lexemes = source.lexemes[source.lexeme_index(start) : source.lexeme_index(end)]
    return {lexeme.text for lexeme in lexemes}


def has_deduced_type(source: SourceText, start: int, end: int) -> bool:
    """Tell whether a function's body decides what it returns: `auto` without a `->`."""
    body = find_body(source, start, end)
    if body is None:
        return False

    head = {lexeme.text for lexeme in source.lexemes_between(start, body)}

    return "auto" in head and "->" not in head
