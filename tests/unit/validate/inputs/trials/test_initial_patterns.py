"""Contents that buffers have at first, by the names of their parameters."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.validate.emulator.execution_report import BufferAccess, Execution, Outcome
from crawler.validate.inputs.arguments.argument_slots import BufferSlot
from crawler.validate.inputs.trials.alternative_contents import iter_repaired_contents
from crawler.validate.inputs.trials.buffer_contents import generate_content
from crawler.validate.inputs.trials.fill_patterns import Filling
from crawler.validate.inputs.trials.initial_patterns import choose_initial_patterns
from crawler.validate.inputs.trials.trial_memory import build_initial_memory
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType


def test_names_tell_offsets_and_links_from_other_whole_numbers() -> None:
    element = ElementType("int", 4, ScalarType.I32)
    names = ("query_boundaries", "left_child", "next_index", "labels")
    slots = [
        BufferSlot(name, index, 0, element, True) for index, name in enumerate(names)
    ]
    fillings = [pattern.filling for pattern in choose_initial_patterns(slots, element)]
    assert fillings == [
        Filling.ASCENDING,
        Filling.FORWARD_LINKS,
        Filling.FORWARD_LINKS,
        Filling.SMALL_INTEGERS,
    ]


def test_locks_are_open_whatever_else_is_tried() -> None:
    element = ElementType("int", 4, ScalarType.I32)
    names = ("wlocks", "lock", "mutex_", "blocks", "clocks")
    memory = build_initial_memory(
        _slots(names, element),
        choose_initial_patterns(_slots(names, element), element),
        element,
    )
    assert [pattern.filling for pattern in memory.patterns] == [
        Filling.UNLOCKED
    ] * 3 + [Filling.SMALL_INTEGERS] * 2
    assert generate_content(memory.patterns[0], element, 8, 1) == bytes(8)
    execution = Execution(
        outcome=Outcome.DONE,
        accesses=(BufferAccess(read_range=(0, 8), is_input=True),) * len(names),
    )
    alternatives = list(iter_repaired_contents(memory, execution))
    assert len(alternatives) > 1
    assert all(
        pattern.patterns[0].filling in (Filling.UNLOCKED, Filling.ZEROS)
        for pattern in alternatives
    )


def _slots(names: Sequence[str], element: ElementType) -> list[BufferSlot]:
    return [BufferSlot(name, 0, 0, element, False) for name in names]
