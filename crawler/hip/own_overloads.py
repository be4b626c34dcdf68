"""Functions that HIP defines for more types than CUDA, which projects define for themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

HIP_OVERLOADS: Final = {
    "min": (("T", "T"),),
    "max": (("T", "T"),),
    "atomicAdd": (("double*", "double"),),
    "atomicSub": (
        ("float*", "float"),
        ("double*", "double"),
        ("unsigned long long*", "unsigned long long"),
    ),
    "atomicMin": (("float*", "float"), ("double*", "double")),
    "atomicMax": (("float*", "float"), ("double*", "double")),
}
"""Name to the parameter types of HIP's own; `T` is the parameter of a function template."""
_TYPE_WORDS: Final = frozenset({"float", "double", "unsigned", "long"})


def spell_parameter_types(
    words: Sequence[str], template_parameter: str
) -> tuple[str, ...]:
    """Return the types of a parameter list as `HIP_OVERLOADS` writes them."""
    types: list[list[str]] = [[]]
    for word in words:
        if word == ",":
            types.append([])
        elif word == template_parameter:
            types[-1].append("T")
        elif word in _TYPE_WORDS or word == "*":
            types[-1].append(word)

    return tuple(" ".join(spelled).replace(" *", "*") for spelled in types)
