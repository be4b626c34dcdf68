"""Find the values that code compares a template parameter with, or specialises a template for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

_ASSERTION: Final = re.compile(r"\bstatic_assert\s*\(([^;]*)\)\s*;")
_VALUE: Final = r"(?:\d+|[A-Za-z_]\w*(?:::\w+)+(?:\.\w+\(\))?)"
"""A number, or a name with its scope; one without would mean nothing where a unit instantiates."""
_SPECIALISED: Final = r"\btemplate\s*<\s*>\s*(?:struct|class)\s+{}\s*<\s*([^<>]*?)\s*>"


def find_asserted_values(name: str, text: str) -> tuple[str, ...]:
    """Return the values of which a `static_assert` says that a parameter has one."""
    return find_compared_values(name, " ; ".join(_ASSERTION.findall(text)))


def find_compared_values(name: str, text: str) -> tuple[str, ...]:
    """Return the values that a text compares a parameter with for equality, in order."""
    word = re.escape(name)
    left = rf"(?<![\w.:>])({_VALUE})\s*==\s*{word}\b"
    right = rf"(?<![\w.:>]){word}\s*==\s*({_VALUE})(?![\w.:(]|\s*[-+*/%])"
    found = sorted(
        (match.start(), match[1])
        for match in (*re.finditer(left, text), *re.finditer(right, text))
    )
    return tuple(dict.fromkeys(value for _, value in found))


def find_specialised_values(
    name: str, text: str, fragments: Collection[str]
) -> tuple[str, ...]:
    """Return what the class templates that a text gives a parameter alone are specialised for,
    one after the other.
    """
    traits = dict.fromkeys(
        re.findall(rf"\b([A-Za-z_]\w*)\s*<\s*{re.escape(name)}\s*>", text)
    )
    return tuple(
        dict.fromkeys(
            given for trait in traits for given in _specialisations(trait, fragments)
        )
    )


def _specialisations(trait: str, fragments: Collection[str]) -> Iterator[str]:
    pattern = re.compile(_SPECIALISED.format(re.escape(trait)))
    for fragment in fragments:
        yield from pattern.findall(fragment)


def is_unambiguous_value(value: str) -> bool:
    """Tell whether a value means the same everywhere."""
    return re.fullmatch(_VALUE, value) is not None
