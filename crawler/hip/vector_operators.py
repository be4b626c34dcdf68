"""Recognise componentwise compound assignments that HIP's vector types already provide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import split_words

COMPOUND_OPERATORS: Final = ("+", "-", "*", "/")
_ELEMENTS: Final = "u?char|u?short|u?int|u?long|u?longlong|float|double"
# the one word that is a parameter's type
_VECTOR: Final = re.compile(rf"(?:{_ELEMENTS})([2-4])")
_COMPONENTS: Final = "xyzw"


@dataclass(frozen=True, slots=True)
class _Parameters:
    r"""Of `operator+=(float3\& target, const float3\& operand)`."""

    width: int
    target: str
    operand: str


def is_componentwise_assignment(
    operator: str, parameter_tokens: Sequence[str], body_tokens: Sequence[str]
) -> bool:
    """Tell whether a definition of `operator` does what HIP's member does: each component for
    itself, nothing else.

    `parameter_tokens` and `body_tokens` are the tokens between the parentheses and between the
    braces. One that means something else, such as a product of quaternions, is none.
    """
    parameters = _parse_parameters(parameter_tokens)
    if parameters is None:
        return False

    target, operand = parameters.target, parameters.operand
    compound = []
    plain = []
    # e.g. `a.x += b.x` and `a.x = a.x + b.x`, the tokens with blanks between
    for component in _COMPONENTS[: parameters.width]:
        element = f"{target} . {component}"
        change = f"{operand} . {component}"
        compound.append(f"{element} {operator} = {change}")
        plain.append(f"{element} = {element} {operator} {change}")

    # components are independent of one another: any order will do
    statements = _list_statements(body_tokens, target)
    return sorted(statements) in (sorted(compound), sorted(plain))


def _parse_parameters(tokens: Sequence[str]) -> _Parameters | None:
    """Return the parameters where the first is a reference to a vector and the second one of
    the same type.
    """
    sides = []
    for side in split_words(tokens):
        words = [word for word in side if word != "const"]
        sides.append(words)
    if len(sides) != 2:
        return None

    # e.g. `float3 & a`, and `float3 & b` or `float3 b`
    first, second = sides
    if len(first) != 3 or first[1] != "&":
        return None
    if second[:1] != first[:1] or second[1:-1] not in ([], ["&"]):
        return None

    vector = _VECTOR.fullmatch(first[0])
    if vector is None:
        return None
    width = int(vector[1])
    return _Parameters(width=width, target=first[-1], operand=second[-1])


def _list_statements(tokens: Sequence[str], target: str) -> list[str]:
    """Return the statements of a body, without a `return` of the target at its end."""
    pieces = (piece.strip() for piece in " ".join(tokens).split(";"))
    statements = [piece for piece in pieces if piece]
    if statements[-1:] == [f"return {target}"]:
        statements.pop()

    return statements
