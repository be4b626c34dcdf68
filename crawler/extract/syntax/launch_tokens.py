"""Find the parts of a launch among tokens: its callee, its configuration and its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.arguments import split_argument_texts, split_tokens
from crawler.cpp.brackets import depth_changes, skip_angles_backwards
from crawler.cpp.files.source_text import Lexeme, SourceText
from crawler.cpp.lexer import TokenKind

_MAX_LIST_TOKENS: Final = 2_000
"""Tokens of a configuration, or of an argument list, that are looked through for its end."""
_DEPTH_CHANGES: Final = depth_changes()
_QUALIFYING_SIGNS: Final = ("::", ".", "->", "##")
# what stands round a kernel's name and is none: casts, and macros that group a template name
_CAST_WORDS: Final = frozenset(
    {
        "void",
        "const",
        "reinterpret_cast",
        "static_cast",
        "HIP_KERNEL_NAME",
        "KERNEL_NAME",
    }
)


def find_closing_chevrons(lexemes: Sequence[Lexeme], opening: int) -> int:
    """Return the position of the `>>>` that closes the `<<<` at `opening`, or -1."""
    end = min(len(lexemes), opening + _MAX_LIST_TOKENS)
    depth = 0

    for position in range(opening + 1, end):
        text = lexemes[position].text
        depth += _DEPTH_CHANGES.get(text, 0)
        if depth < 0 or text == ";":
            return -1
        if depth == 0 and text == ">>>":
            return position

    return -1


def find_call_end(source: SourceText, opening: int) -> int:
    """Return the position of the parenthesis that closes the one at `opening`, or -1."""
    lexemes = source.lexemes
    if opening >= len(lexemes) or lexemes[opening].text != "(":
        return -1

    closing = source.find_closing_bracket(opening)
    return closing if closing - opening <= _MAX_LIST_TOKENS else -1


def split_call(source: SourceText, name_index: int) -> tuple[list[list[Lexeme]], int]:
    """Return the tokens of each argument of a call, and the position of its closing parenthesis.

    Without arguments that are closed, the answer is `([], -1)`.
    """
    closing = find_call_end(source, name_index + 1)
    if closing <= 0:
        return [], -1

    arguments = source.lexemes[name_index + 2 : closing]
    return split_tokens(arguments, angles=True), closing


def find_callee(
    source: SourceText, chevrons: int
) -> tuple[int | None, tuple[str, ...]]:
    """Return the position of the name in front of `<<<`, and its template arguments.

    E.g. `copy<float><<<…>>>` launches `copy`, `(kernels[0])<<<…>>>` an element of `kernels`.
    """
    lexemes = source.lexemes
    before = chevrons - 1
    text = lexemes[before].text

    # `kernels[i]<<<…>>>`
    if text == "]":
        subscript = _find_opening_bracket(source, before)
        if subscript <= 0:
            return None, ()

        return find_callee(source, subscript)

    # `(kernel<float>)<<<…>>>`
    if text == ")":
        opening = _find_opening_bracket(source, before)
        if opening < 0:
            return None, ()

        name = find_kernel_name(lexemes[opening + 1 : before])
        if name is None:
            return None, ()

        return source.lexeme_index(name.offset), ()

    # `kernel<float><<<…>>>`
    if text == ">":
        name_index = skip_angles_backwards(lexemes, before)
        if lexemes[name_index].kind is not TokenKind.NAME:
            return None, ()

        arguments = lexemes[name_index + 2 : before]
        return name_index, split_argument_texts(source, arguments)

    # `kernel<<<…>>>`
    if lexemes[before].kind is TokenKind.NAME:
        return before, ()

    return None, ()


def find_kernel_name(part: Sequence[Lexeme]) -> Lexeme | None:
    """Return the name of a kernel out of casts, parentheses and template arguments round it."""
    kernel_name: Lexeme | None = None
    depth = 0

    for lexeme in part:
        # names within `static_cast<…>` are types
        depth += (lexeme.text == "<") - (lexeme.text == ">")
        if depth != 0 or lexeme.kind is not TokenKind.NAME:
            continue

        if lexeme.text not in _CAST_WORDS:
            kernel_name = lexeme

    return kernel_name


def find_qualified_start(lexemes: Sequence[Lexeme], name_index: int) -> int:
    """Return the position at which a name begins with what it is qualified by."""
    start = name_index
    while start >= 2:
        sign = lexemes[start - 1]
        if sign.text not in _QUALIFYING_SIGNS:
            break

        qualifier = lexemes[start - 2]
        if qualifier.kind is not TokenKind.NAME:
            break

        start -= 2

    return start


def text_of_tokens(source: SourceText, part: Sequence[Lexeme]) -> str:
    """Return what stands in the file from the first to the last of some tokens."""
    if not part:
        return ""

    first, last = part[0], part[-1]
    text = source.text_between(first.offset, last.end)
    return text.strip()


def last_name(part: Sequence[Lexeme]) -> str:
    """Return the last name among tokens; empty where there is none."""
    for lexeme in reversed(part):
        if lexeme.kind is TokenKind.NAME:
            return lexeme.text

    return ""


def _find_opening_bracket(source: SourceText, closing: int) -> int:
    """Return the position of the bracket that is closed at `closing`, or -1."""
    first = max(0, closing - _MAX_LIST_TOKENS)
    for position in range(closing, first, -1):
        if source.closing_brackets.get(position) == closing:
            return position

    return -1
