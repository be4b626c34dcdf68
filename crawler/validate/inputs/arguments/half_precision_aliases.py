"""Half-precision types declared as aliases of 16-bit integers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.validate.inputs.arguments.argument_slots import BufferSlot
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType

# The alias's name is what matters here, and a compiler that has resolved the parameter's type
# no longer has it; a declaration of one line needs no parser.
_INTEGER: Final = r"(?:unsigned\s+short(?:\s+int)?|(?:std\s*::\s*)?uint16_t|ushort)"
# a unit as it is written: an alias in a comment would name a type that nothing has
_ALIAS: Final = re.compile(
    rf"\busing\s+(\w+)\s*=\s*{_INTEGER}\s*;|\btypedef\s+{_INTEGER}\s+(\w+)\s*;"
)
# words within the name of a type
_ELEMENT_BY_NAME: Final = (
    (
        re.compile(r"(?i)bf(?:loat)?_?16|bhalf"),
        ElementType("bfloat16", 2, ScalarType.BFLOAT16),
    ),
    (
        re.compile(r"(?i)half|(?:^|_)fp?16|float16"),
        ElementType("half", 2, ScalarType.HALF),
    ),
)


def apply_half_precision_aliases(
    slots: Sequence[BufferSlot], source: str
) -> tuple[BufferSlot, ...]:
    """Give buffers of 16-bit integers the element type that the unit's alias names.

    E.g. after `using bhalf_t = ushort;` they hold bfloat16. Where aliases name both types,
    nothing says which buffer holds which, and all stay as they are.
    """
    named_elements: set[ElementType] = set()
    for alias in _ALIAS.finditer(source):
        element = _element_named(alias[1] or alias[2])
        if element is not None:
            named_elements.add(element)

    if len(named_elements) != 1:
        return tuple(slots)

    (element,) = named_elements
    return tuple(
        replace(slot, element=element) if _is_short_integer(slot.element) else slot
        for slot in slots
    )


def _element_named(name: str) -> ElementType | None:
    for pattern, element in _ELEMENT_BY_NAME:
        if pattern.search(name):
            return element

    return None


def _is_short_integer(element: ElementType | None) -> bool:
    if element is None or element.scalar is not ScalarType.U16:
        return False

    return element.size == element.scalar.size
