"""Find the values that code compares a template parameter with, or specialises a template for."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

# Over text as it is written: in a template that nobody instantiates libclang leaves `N == 4`
# without its operands.
_ASSERTION: Final = re.compile(r"\bstatic_assert\s*\(([^;]*)\)\s*;")
_VALUE: Final = r"(?:\d+|[A-Za-z_]\w*(?:::\w+)+(?:\.\w+\(\))?)"
"""A number, or a name with its scope; one without would mean nothing where a unit instantiates."""
_SPECIALISATION: Final = (
    r"\btemplate\s*<\s*>\s*(?:struct|class)\s+{}\s*<\s*([^<>]*?)\s*>"
)


def find_asserted_values(name: str, text: str) -> tuple[str, ...]:
    """Return the values of which a `static_assert` says that a parameter has one."""
    return find_compared_values(name, " ; ".join(_ASSERTION.findall(text)))


def find_compared_values(name: str, text: str) -> tuple[str, ...]:
    """Return the values that a text compares a parameter with for equality, in order."""
    word = re.escape(name)
    value_first = rf"(?<![\w.:>])({_VALUE})\s*==\s*{word}\b"
    # not `N == 4 * M`, nor a call
    value_last = rf"(?<![\w.:>]){word}\s*==\s*({_VALUE})(?![\w.:(]|\s*[-+*/%])"
    comparisons = sorted(
        (match.start(), match[1])
        for pattern in (value_first, value_last)
        for match in re.finditer(pattern, text)
    )

    return tuple(dict.fromkeys(value for _, value in comparisons))


def find_specialised_values(
    name: str, text: str, fragments: Collection[str]
) -> tuple[str, ...]:
    """Return what the class templates that a text gives a parameter alone are specialised for,
    one after the other.

    e.g. `float` and `half`, where `Traits<T>` stands in the text, and `fragments` hold
    `template <> struct Traits<float>` and `template <> struct Traits<half>`.
    """
    trait_names = dict.fromkeys(
        re.findall(rf"\b([A-Za-z_]\w*)\s*<\s*{re.escape(name)}\s*>", text)
    )

    values: dict[str, None] = {}
    for trait_name in trait_names:
        specialisation = re.compile(_SPECIALISATION.format(re.escape(trait_name)))
        for fragment in fragments:
            values.update(dict.fromkeys(specialisation.findall(fragment)))

    return tuple(values)


def is_unambiguous_value(value: str) -> bool:
    """Tell whether a value means the same everywhere."""
    return re.fullmatch(_VALUE, value) is not None
