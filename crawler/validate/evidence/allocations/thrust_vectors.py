"""Memory of Thrust's vectors: `thrust::device_vector<float> x(n)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token
from crawler.validate.evidence.allocations.allocation import (
    PARAMETER_ELEMENT,
    Allocation,
)
from crawler.validate.evidence.allocations.host_words import find_mentions, join_words
from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.expressions.expression_tree import Call, Expression, Name

_MAX_TYPE_WORDS: Final = 12
_DEVICE_VECTOR: Final = "device_vector"


def find_vector_allocation(
    words: Sequence[Token], argument: Expression
) -> Allocation | None:
    """Return the memory of `thrust::raw_pointer_cast(x.data())` or `x.data().get()`."""
    name = _read_vector_name(argument)
    for position in find_mentions(words, name, 1) if name else ():
        size = _read_size(words, position)
        if size is not None:
            return Allocation(size=size, element_type=PARAMETER_ELEMENT)

    return None


def _read_vector_name(argument: Expression) -> str:
    """Return the vector whose memory an expression is; empty for any other."""
    if not isinstance(argument, Call):
        return ""
    if argument.callee == "get":
        return argument.receiver.removesuffix(".data()")
    if not argument.callee.endswith("raw_pointer_cast") or not argument.arguments:
        return ""

    pointer = argument.arguments[0]
    if isinstance(pointer, Call) and pointer.callee == "data":
        return pointer.receiver

    # `&x[0]`
    return pointer.text.removesuffix("[0]") if isinstance(pointer, Name) else ""


def _read_size(words: Sequence[Token], position: int) -> Expression | None:
    """Return how many elements a vector has whose name stands there; `None` where that is no
    definition of one.
    """
    texts = [word.text for word in words[max(0, position - _MAX_TYPE_WORDS) : position]]
    if texts[-1:] != [">"] or _DEVICE_VECTOR not in texts:
        return None

    opening = position + 1
    if opening >= len(words):
        return None
    if words[opening].text == "=":
        return _count_copied(words[opening + 1 : opening + 2])
    if words[opening].text != "(":
        return None

    closing = closing_token(words, opening)
    content = words[opening + 1 : max(opening, closing)]
    if _is_vector(words, content):
        return _count_copied(content)

    # behind a comma stands what each element is
    tree = parse_expression(f"f({join_words(content)})")
    return tree.arguments[0] if isinstance(tree, Call) and tree.arguments else None


def _is_vector(words: Sequence[Token], content: Sequence[Token]) -> bool:
    """Tell whether a name is that of another vector: its type ends with `>`, or `> &`."""
    if len(content) != 1:
        return False

    return any(
        words[position - 1].text.strip("&") in (">", "")
        for position in find_mentions(words, content[0].text, 1)
    )


def _count_copied(content: Sequence[Token]) -> Expression | None:
    """Return the size of a vector that another one is a copy of."""
    if len(content) != 1 or not content[0].text.isidentifier():
        return None

    name = content[0].text
    return Call("size", (), f"{name}.size()", name)
