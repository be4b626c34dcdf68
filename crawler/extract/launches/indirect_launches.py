"""Explain launches through parameters and variables, by the text of the function round them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.files.functions import FunctionDefinition
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.identifiers import IDENTIFIER, is_word_character
from crawler.extract.syntax.launch_syntax import LaunchText

_TYPE_ENDS: Final = frozenset(">&*)]")
_BEHIND_PARAMETER: Final = frozenset(",)(=")
_BEHIND_VARIABLE: Final = frozenset("=;{[")
_DECORATIONS: Final = frozenset("*&")


def explain_indirect_launch(
    source: SourceText, text: LaunchText, function: FunctionDefinition | None
) -> str:
    """Return a reason where a kernel is launched through a parameter or a variable, else `""`."""
    # `kernel<T><<<…>>>` names a template, no variable
    if function is None or "<" in text.callee:
        return ""
    # `op.kernel<<<…>>>`
    if "." in text.callee or "->" in text.callee:
        return f"function-pointer: {text.callee}"
    if _is_parameter(source, text.name, function):
        return f"function-parameter: {text.name}"
    if _is_declared_before(source, text, function):
        return f"function-pointer: {text.name}"

    return ""


# Nothing compiled this text, and its macros may hide any bracket: a declaration is told by the
# tokens on both sides of a name, not by a syntax tree.
def _is_parameter(source: SourceText, name: str, function: FunctionDefinition) -> bool:
    """Tell whether a function's head declares a name: `K kernel,` or `void (*kernel)(int)`."""
    words = _list_words(source, function.start, function.body_start)
    if "(" not in words:
        return False

    parameters = words[words.index("(") :]
    for before, word, after in zip(
        parameters, parameters[1:], parameters[2:], strict=False
    ):
        ends_type = before in _TYPE_ENDS or is_word_character(before[-1:])
        if word == name and ends_type and after in _BEHIND_PARAMETER:
            return True

    return False


def _is_declared_before(
    source: SourceText, text: LaunchText, function: FunctionDefinition
) -> bool:
    """Tell whether a function declares the launched name: `auto kernel = …`, `Kernel table[2]`."""
    words = _list_words(source, function.body_start, text.start)
    for index, word in enumerate(words):
        if word != text.name or not _ends_type(words, index):
            continue

        after = words[index + 1 : index + 3]
        if after == [")", "("] or (after and after[0] in _BEHIND_VARIABLE):
            return True

    return False


def _ends_type(words: Sequence[str], end: int) -> bool:
    """Tell whether the words before `end` may end in a type: `auto &`, `(*`, `Kernel`, `K<T> *`."""
    type_end = end
    while type_end and words[type_end - 1] in _DECORATIONS:
        type_end -= 1

    last = words[type_end - 1] if type_end else ""
    if type_end == end or last == "auto":
        return IDENTIFIER.fullmatch(last) is not None

    is_pointer = "&" not in words[type_end:end]
    return is_pointer and (last in ("(", ">") or is_word_character(last[-1:]))


def _list_words(source: SourceText, start: int, end: int) -> list[str]:
    return [lexeme.text for lexeme in source.lexemes_between(start, end)]
