"""Memory of a trial launch: how each buffer is filled, and how large it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.emulator.execution_report import BufferAccess, Execution
from crawler.validate.inputs.arguments.argument_slots import BufferSlot
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.values.element_types import ElementType

INITIAL_BUFFER_BYTES: Final = 1 << 16
"""Size of a buffer whose extent is not known yet."""
MAX_BUFFER_BYTES: Final = 8 << 20
"""Size of one buffer: an access beyond it comes of wrong indices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMemory:
    """How each buffer of a launch is filled, and how large it is."""

    patterns: tuple[FillPattern, ...]
    elements: tuple[ElementType, ...]
    sizes: tuple[int, ...]
    """Bytes from where the pointer points to the buffer's end."""
    leading_bytes: tuple[int, ...]
    """Bytes in front of where the pointer points."""

    def with_pattern(self, buffer_index: int, pattern: FillPattern) -> TrialMemory:
        """Return the same with one buffer filled by another pattern."""
        return self.with_patterns((buffer_index,), pattern)

    def with_patterns(
        self, buffer_indices: Sequence[int], pattern: FillPattern
    ) -> TrialMemory:
        """Return the same with several buffers filled by another pattern.

        What the launcher fills stays as it is.
        """
        patterns = list(self.patterns)
        for index in buffer_indices:
            if patterns[index].filling is not Filling.LAUNCHER_BYTES:
                patterns[index] = pattern

        return replace(self, patterns=tuple(patterns))


def build_initial_memory(
    slots: Sequence[BufferSlot],
    patterns: Sequence[FillPattern],
    default_element: ElementType,
) -> TrialMemory:
    """Return memory before any extent is known.

    Buffers without a type, such as those of a `void *`, hold `default_element`.
    """
    return TrialMemory(
        patterns=tuple(patterns),
        elements=tuple(slot.element or default_element for slot in slots),
        sizes=(INITIAL_BUFFER_BYTES,) * len(slots),
        leading_bytes=(0,) * len(slots),
    )


def fit_memory(memory: TrialMemory, execution: Execution) -> TrialMemory:
    """Return memory whose sizes are what a run has touched, in whole elements."""
    sizes: list[int] = []
    leading_bytes: list[int] = []

    for element, shift, access in zip(
        memory.elements, memory.leading_bytes, execution.accesses, strict=False
    ):
        # An access in front of the pointer, such as `p[-1]`, needs leading bytes.
        begin, end = _touched_range(access, shift)
        sizes.append(_round_up(max(end, 0), element.size))
        leading_bytes.append(_round_up(max(-begin, 0), element.size))

    return replace(
        memory,
        sizes=tuple(sizes),
        leading_bytes=tuple(leading_bytes),
    )


def is_too_large(memory: TrialMemory) -> bool:
    """Tell whether a buffer is larger than any whose size is meant."""
    for size, leading in zip(memory.sizes, memory.leading_bytes, strict=True):
        if size + leading > MAX_BUFFER_BYTES:
            return True

    return False


def add_headroom(memory: TrialMemory) -> TrialMemory:
    """Return memory with more room than a run needed."""
    # Room for what other sizes reach; the run shows what they need.
    sizes: list[int] = []
    for size in memory.sizes:
        sizes.append(max(INITIAL_BUFFER_BYTES, 2 * size))

    return replace(memory, sizes=tuple(sizes))


def shorten_permutations(
    memory: TrialMemory, needed: TrialMemory
) -> TrialMemory | None:
    """Return memory whose permutations are as long as they are read; `None` where they are.

    A permutation holds numbers up to its length, so that what it indexes seems to reach as far:
    the sizes of all other buffers are unknown again.
    """
    permutation_indices: list[int] = []
    for index, pattern in enumerate(memory.patterns):
        if pattern.filling is Filling.PERMUTATION:
            permutation_indices.append(index)

    if all(needed.sizes[index] >= memory.sizes[index] for index in permutation_indices):
        return None

    # What a permutation indexes is sized anew by the next run.
    sizes = [min(size, INITIAL_BUFFER_BYTES) for size in memory.sizes]
    for index in permutation_indices:
        sizes[index] = needed.sizes[index]

    return replace(memory, sizes=tuple(sizes))


def _touched_range(access: BufferAccess, leading: int) -> tuple[int, int]:
    """Return which bytes a run touched, from where the pointer points; (0, 0) for none."""
    begins: list[int] = []
    ends: list[int] = []
    for begin, end in (access.read_range, access.written_range):
        # A range of nothing touches no place.
        if begin != end:
            begins.append(begin)
            ends.append(end)

    if not begins:
        return 0, 0

    begin = min(begins)
    end = max(ends)

    return begin - leading, end - leading


def _round_up(size: int, multiple: int) -> int:
    count = -(-size // multiple)
    return count * multiple
