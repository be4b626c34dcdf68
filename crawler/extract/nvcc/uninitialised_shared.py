"""Leave variables in shared memory uninitialised whose class has a constructor that does something:
nvcc warns of it (20054-D) and calls no constructor, clang refuses it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from crawler.cpp.brackets import depth_changes
from crawler.cpp.edits import apply_edits
from crawler.cpp.files.source_text import Lexeme, SourceText
from crawler.cpp.lexer import TokenKind

INITIALISATION_ERROR: Final = "initialization is not supported for __shared__"
"""How clang's message begins."""
_QUALIFIERS: Final = frozenset({"static", "__shared__"})
_MAX_TOKENS: Final = 400
"""Of one declaration."""


def leave_uninitialised(text: str, lines: Collection[int]) -> str:
    """Return code in which what is declared `__shared__` in one of these lines, from 1, is memory
    that a reference of its name is bound to.
    """
    source = SourceText("unit.cu", text.encode("latin-1", "replace"))
    edits = []
    for first, last in _iter_declarations(source.lexemes):
        start, end = source.lexemes[first].offset, source.lexemes[last].end
        span = range(source.line_number(start), source.line_number(end) + 1)
        if not any(line in span for line in lines):
            continue

        declaration = _bind(source.lexemes[first:last], text)
        if declaration:
            edits.append((start, end, declaration))

    return apply_edits(text, edits)


def _iter_declarations(lexemes: Sequence[Lexeme]) -> Iterator[tuple[int, int]]:
    """Yield the positions of the first token of each shared variable, and of its semicolon."""
    for position, lexeme in enumerate(lexemes):
        if lexeme.text != "__shared__" or lexeme.directive:
            continue

        before = lexemes[position - 1].text if position else ""
        # what is `extern` has the launch's memory, and nothing initialises it
        if before == "extern":
            continue
        first = position - 1 if before == "static" else position
        for last in range(position, min(len(lexemes), position + _MAX_TOKENS)):
            if lexemes[last].text == ";":
                yield first, last
                break


def _bind(declaration: Sequence[Lexeme], text: str) -> str:
    """Return declarations of memory and of references; empty for what is written otherwise."""
    words = [word for word in declaration if word.text not in _QUALIFIERS]
    declarators = list(_split_at_commas(words))
    if not declarators or any(word.text in ("=", "extern") for word in words):
        return ""

    head = _find_name(declarators[0])
    if head < 1:
        return ""

    kind = text[words[0].offset : declarators[0][head - 1].end]
    bound = []
    for declarator in (declarators[0][head:], *declarators[1:]):
        if _find_name(declarator) != 0:
            return ""

        name = declarator[0].text
        extents = text[declarator[0].end : declarator[-1].end]
        shared, memory = f"{name}_shared", f"{name}_memory"
        bound.append(
            f"using {shared} = {kind}{extents}; "
            f"alignas({shared}) __shared__ unsigned char {memory}[sizeof({shared})]; "
            f"{shared}& {name} = reinterpret_cast<{shared}&>({memory});"
        )

    return " ".join(bound)


def _split_at_commas(words: Sequence[Lexeme]) -> Iterator[Sequence[Lexeme]]:
    """Yield the tokens between commas that stand in no bracket, angles included."""
    changes = {**depth_changes(), "<": 1, ">": -1, ">>": -2}
    depth = 0
    start = 0
    for position, word in enumerate(words):
        depth += changes.get(word.text, 0)
        if word.text == "," and depth == 0:
            yield words[start:position]
            start = position + 1

    yield words[start:]


def _find_name(declarator: Sequence[Lexeme]) -> int:
    """Return the position of a declarator's name, in front of its extents; -1 for a pointer, a
    reference, and what has arguments.
    """
    position = len(declarator)
    texts = [word.text for word in declarator]
    while position and texts[position - 1] == "]":
        depth = 0
        for opening in range(position - 1, -1, -1):
            depth += {"]": 1, "[": -1}.get(texts[opening], 0)
            if depth == 0:
                break
        position = opening

    name = position - 1
    if name < 0 or declarator[name].kind is not TokenKind.NAME:
        return -1
    return name
