"""Choose how buffers are filled at first, by the names and types of their parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crawler.validate.inputs.arguments.argument_slots import BufferSlot
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.values.element_types import ElementType

# Conventions of the names of index arrays, e.g. `indptr` of SciPy's CSR matrices, `cu_seqlens`
# of flash-attention, `row_splits` of TensorFlow's ragged tensors, `lod` of Paddle.
_OFFSETS_NAME: Final = re.compile(
    r"(?i)(?:^|_)ptr$|(?:row|col|ind|ind(?:ex|ice)s?|cs[rc]|seq)_?ptr|offsets?$"
    r"|boundar(?:y|ies)$|indptr|cu_?seq|cum|prefix|start|row_?(?:splits|limits|idx)"
    r"|(?:^|_)lod|splits|seqlens?$|begin"
)
_COUNTS_NAME: Final = re.compile(
    r"(?i)shapes?$|sizes?$|len(?:gth)?s?$|(?:^|_)(?:counts?|cnt|nums?)(?:_|$)|dims$"
)
_LINKS_NAME: Final = re.compile(
    r"(?i)child|sibling|successor|parent|(?:^|_)(?:next|links?)(?:_|$)"
)
_LOCKS_NAME: Final = re.compile(
    # `blocks`, `clocks` and `flocks` are no locks.
    r"(?i)(?:(?<![bcf])locks?|mutex(?:es)?|semaphores?)_?$"
)
SMALL_PATTERN: Final = FillPattern(Filling.SMALL_INTEGERS, 4)
LINK_PATTERN: Final = FillPattern(Filling.FORWARD_LINKS, 4)
FRACTION_PATTERN: Final = FillPattern(Filling.BOUNDED_REALS, 4)
COUNT_PATTERN: Final = FillPattern(Filling.COUNTS, 6)


def choose_initial_patterns(
    slots: Sequence[BufferSlot], default_element: ElementType
) -> tuple[FillPattern, ...]:
    """Return fillings that lead few kernels out of bounds: small numbers, none negative."""
    return tuple(
        _choose_pattern(slot, slot.element or default_element) for slot in slots
    )


def _choose_pattern(slot: BufferSlot, element: ElementType) -> FillPattern:
    if element.scalar.is_real:
        return FRACTION_PATTERN
    # Bytes and shorts seldom index anything, and overflow as offsets.
    if element.scalar.size < 4:
        return SMALL_PATTERN
    if _LOCKS_NAME.search(slot.name):
        return FillPattern(Filling.UNLOCKED)

    is_signed = element.scalar.integer_range[0] < 0
    if is_signed and _LINKS_NAME.search(slot.name):
        return LINK_PATTERN
    if _OFFSETS_NAME.search(slot.name):
        return FillPattern(Filling.ASCENDING, 4)
    if _COUNTS_NAME.search(slot.name):
        return COUNT_PATTERN
    return SMALL_PATTERN
