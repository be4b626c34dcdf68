"""Recognise componentwise compound assignments that HIP's vector types already provide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crawler.cpp.arguments import split_words

COMPOUND_OPERATORS: Final = ("+", "-", "*", "/")
_ELEMENTS: Final = "u?char|u?short|u?int|u?long|u?longlong|float|double"
_VECTOR: Final = re.compile(rf"(?:{_ELEMENTS})([2-4])")
_COMPONENTS: Final = "xyzw"


def is_componentwise_assignment(
    operator: str, parameter_tokens: Sequence[str], body_tokens: Sequence[str]
) -> bool:
    """Tell whether a definition of `operator` does what HIP's member does: each component for
    itself, nothing else.

    `parameter_tokens` and `body_tokens` are the tokens between the parentheses and between the
    braces. One that means something
    else, such as a product of quaternions, is none.
    """
    taken = [
        [word for word in side if word != "const"]
        for side in split_words(parameter_tokens)
    ]
    if (
        len(taken) != 2
        or taken[0][1:2] != ["&"]
        or len(taken[0]) != 3
        or taken[0][0] != taken[1][0]
    ):
        return False
    vector, left, right = _VECTOR.fullmatch(taken[0][0]), taken[0][-1], taken[1][-1]
    if vector is None or taken[1][1:-1] not in (["&"], []):
        return False
    components = _COMPONENTS[: int(vector.group(1))]
    done = [step.strip() for step in " ".join(body_tokens).split(";") if step.strip()]
    if done[-1:] == [f"return {left}"]:
        done.pop()
    return sorted(done) in (
        [
            f"{left} . {each} {operator} = {right} . {each}"
            for each in sorted(components)
        ],
        [
            f"{left} . {each} = {left} . {each} {operator} {right} . {each}"
            for each in sorted(components)
        ],
    )
