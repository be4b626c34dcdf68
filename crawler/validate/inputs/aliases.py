"""Numbers that a project keeps as whole numbers of 16 bits, and names for what they are: `using bhalf_t = ushort;`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.validate.elements import Element
from crawler.validate.inputs.slots import Slot
from crawler.validate.numbers import Code

_WHOLE: Final = r"(?:unsigned\s+short(?:\s+int)?|(?:std\s*::\s*)?uint16_t|ushort)"
_ALIAS: Final = re.compile(rf"\busing\s+(\w+)\s*=\s*{_WHOLE}\s*;|\btypedef\s+{_WHOLE}\s+(\w+)\s*;")
_NAMES: Final = (
    (re.compile(r"(?i)bf(?:loat)?_?16|bhalf"), Element("bfloat16", 2, Code.BFLOAT16)),
    (re.compile(r"(?i)half|(?:^|_)fp?16|float16"), Element("half", 2, Code.HALF)),
)


def said_by_aliases(slots: Sequence[Slot], source: str) -> tuple[Slot, ...]:
    """Return buffers of which those of whole numbers hold what a unit's only alias of such numbers says."""
    meant = {_meant(found[1] or found[2]) for found in _ALIAS.finditer(source)} - {None}
    of = meant.pop() if len(meant) == 1 else None
    return tuple(replace(slot, element=of) if of and _is_whole(slot.element) else slot for slot in slots)


def _meant(name: str) -> Element | None:
    return next((of for pattern, of in _NAMES if pattern.search(name)), None)


def _is_whole(of: Element | None) -> bool:
    return of is not None and of.code is Code.U16 and of.size == of.code.size
