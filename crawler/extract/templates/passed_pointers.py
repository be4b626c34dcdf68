"""Tell of a variable of an unknown type whether it is passed on where a pointer is taken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from crawler.cpp.arguments import split_code
from crawler.cpp.brackets import closing_in_code
from crawler.cpp.comments import blank_comments_and_literals

# code without comments and literals, of what no parse tells more; what is repeated is bounded: a
# stranger's text must not take time with the square of its length
_CALL: Final = re.compile(r"\b([A-Za-z_]\w*+)\s*+(?:<[^<>();{}]{0,200}>\s*+)?\(")
_MAX_TEXT: Final = 1 << 15
_MAX_CALLS: Final = 200
_MAX_HEADS: Final = 20


def is_passed_as_pointer(variable: str, source: str, fragments: Iterable[str]) -> bool:
    """Tell whether a kernel calls a function with a variable by itself where each definition of
    that name in its unit takes a pointer: `load(A, i)` and `T *load(T *from, int i) {`.
    """
    texts = [
        blank_comments_and_literals(fragment[:_MAX_TEXT]) for fragment in fragments
    ]
    for name, index in dict.fromkeys(_iter_calls_with(variable, source)):
        parameters = [
            parameter
            for text in texts
            if name in text
            for parameter in _iter_parameters(name, index, text)
        ]
        # one that takes the value itself may be meant
        if parameters and all("*" in parameter for parameter in parameters):
            return True

    return False


def _iter_calls_with(variable: str, source: str) -> Iterator[tuple[str, int]]:
    """Yield the functions that are called with a variable, and at which argument."""
    text = blank_comments_and_literals(source[:_MAX_TEXT])
    for count, call in enumerate(_CALL.finditer(text)):
        if count >= _MAX_CALLS:
            return
        for index, argument in enumerate(_split_list(text, call.end() - 1)):
            if argument.strip() == variable:
                yield call[1], index


def _iter_parameters(name: str, index: int, text: str) -> Iterator[str]:
    """Yield what definitions of a function in a text take at a place of their parameters."""
    heads = re.finditer(rf"\b{re.escape(name)}\s*\(", text)
    for head in islice(heads, _MAX_HEADS):
        opening = head.end() - 1
        closing = closing_in_code(text, opening)
        # a definition, and no call
        if closing < 0 or not text[closing + 1 :].lstrip().startswith("{"):
            continue

        parameters = _split_list(text, opening)
        if index < len(parameters):
            yield parameters[index]


def _split_list(text: str, opening: int) -> list[str]:
    closing = closing_in_code(text, opening)
    return split_code(text[opening + 1 : closing]) if closing >= 0 else []
