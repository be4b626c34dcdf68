"""Choose how buffers are filled at first, by the names and types of their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from crawler.conventions.table import NameKind, compile_names
from crawler.validate.inputs.arguments.argument_slots import BufferSlot
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.values.element_types import ElementType

# Conventions of the names of index arrays, e.g. `indptr` of SciPy's CSR matrices, `cu_seqlens`
# of flash-attention, `row_splits` of TensorFlow's ragged tensors, `lod` of Paddle.
_OFFSETS_NAME: Final = compile_names(NameKind.ASCENDING_CONTENTS)
_COUNTS_NAME: Final = compile_names(NameKind.COUNT_CONTENTS)
_LINKS_NAME: Final = compile_names(NameKind.LINK_CONTENTS)
_LOCKS_NAME: Final = compile_names(NameKind.LOCK)
SMALL_PATTERN: Final = FillPattern(Filling.SMALL_INTEGERS, 4)
LINK_PATTERN: Final = FillPattern(Filling.FORWARD_LINKS, 4)
FRACTION_PATTERN: Final = FillPattern(Filling.BOUNDED_REALS, 4)
COUNT_PATTERN: Final = FillPattern(Filling.COUNTS, 6)


def choose_initial_patterns(
    slots: Sequence[BufferSlot],
    default_element: ElementType,
    fill_bytes: Mapping[str, int] = MappingProxyType({}),
) -> tuple[FillPattern, ...]:
    """Return fillings that lead few kernels out of bounds: small numbers, none negative.

    Of the buffers in `fill_bytes` the launcher sets every byte, to the same value.
    """
    return tuple(
        FillPattern(Filling.LAUNCHER_BYTES, fill_bytes[slot.name])
        if slot.name in fill_bytes
        else _choose_pattern(slot, slot.element or default_element)
        for slot in slots
    )


def is_ascending_by_name(slot: BufferSlot) -> bool:
    """Tell whether a buffer holds offsets, as its name says."""
    return _OFFSETS_NAME.search(slot.name) is not None


def _choose_pattern(slot: BufferSlot, element: ElementType) -> FillPattern:
    if element.scalar.is_real:
        return FRACTION_PATTERN
    # Bytes and shorts seldom index anything, and overflow as offsets.
    if element.scalar.size < 4:
        return SMALL_PATTERN
    if _LOCKS_NAME.search(slot.name):
        return FillPattern(Filling.UNLOCKED)

    # The end of a list is a negative link, which an unsigned type cannot hold.
    is_signed = element.scalar.integer_range[0] < 0
    if is_signed and _LINKS_NAME.search(slot.name):
        return LINK_PATTERN
    # E.g. `cu_seqlens` are offsets, although the name ends as that of lengths does.
    if is_ascending_by_name(slot):
        return FillPattern(Filling.ASCENDING, 4)
    if _COUNTS_NAME.search(slot.name):
        return COUNT_PATTERN

    return SMALL_PATTERN
