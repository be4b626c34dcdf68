"""Half-precision types declared as aliases of 16-bit integers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.validate.inputs.arguments.argument_layout import BufferSlot
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType

_WHOLE: Final = r"(?:unsigned\s+short(?:\s+int)?|(?:std\s*::\s*)?uint16_t|ushort)"
_ALIAS: Final = re.compile(
    rf"\busing\s+(\w+)\s*=\s*{_WHOLE}\s*;|\btypedef\s+{_WHOLE}\s+(\w+)\s*;"
)
_NAMES: Final = (
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
    """Return buffers of which those of whole numbers hold what a unit's only alias of such
    numbers says.
    """
    meant = {_meant(found[1] or found[2]) for found in _ALIAS.finditer(source)} - {None}
    of = meant.pop() if len(meant) == 1 else None
    return tuple(
        replace(slot, element=of) if of and _is_whole(slot.element) else slot
        for slot in slots
    )


def _meant(name: str) -> ElementType | None:
    return next((of for pattern, of in _NAMES if pattern.search(name)), None)


def _is_whole(of: ElementType | None) -> bool:
    return of is not None and of.scalar is ScalarType.U16 and of.size == of.scalar.size
