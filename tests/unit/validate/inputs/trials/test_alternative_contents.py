"""Other contents that are tried where a run has problems, or does too little."""

from __future__ import annotations

from crawler.validate.emulator.execution_report import BufferAccess, Execution, Outcome
from crawler.validate.inputs.trials.alternative_contents import (
    has_atomic_access,
    iter_livelier_contents,
    iter_repaired_contents,
)
from crawler.validate.inputs.trials.fill_patterns import (
    ZERO_PATTERN,
    Filling,
    FillPattern,
)
from crawler.validate.inputs.trials.trial_memory import TrialMemory
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType

FLOAT = ElementType("float", 4, ScalarType.FLOAT)
INT = ElementType("int", 4, ScalarType.I32)
LONG = ElementType("long", 8, ScalarType.I64)
READ = BufferAccess(read_range=(0, 8), is_input=True)
COUNTED = BufferAccess(read_range=(0, 8), is_input=True, is_atomic=True)
WRITTEN = BufferAccess(written_range=(0, 8))


def build_memory(*elements: ElementType) -> TrialMemory:
    count = len(elements)
    return TrialMemory(
        patterns=(FillPattern(Filling.DATA),) * count,
        elements=elements,
        sizes=(64,) * count,
        leading_bytes=(0,) * count,
    )


def build_execution(*accesses: BufferAccess) -> Execution:
    return Execution(outcome=Outcome.DONE, accesses=accesses)


def list_fillings(memory: TrialMemory) -> list[Filling]:
    return [pattern.filling for pattern in memory.patterns]


def test_indices_become_permutations_first() -> None:
    memory = build_memory(FLOAT, INT, INT)
    execution = build_execution(READ, READ, COUNTED)
    first, without_atomics, *_ = iter_repaired_contents(memory, execution)
    assert list_fillings(first) == [
        Filling.DATA,
        Filling.PERMUTATION,
        Filling.PERMUTATION,
    ]
    # A counter that atomics add to starts from what it holds.
    assert list_fillings(without_atomics) == [
        Filling.DATA,
        Filling.PERMUTATION,
        Filling.DATA,
    ]


def test_in_the_end_everything_is_zero() -> None:
    memory = build_memory(FLOAT, INT)
    *_, last = iter_repaired_contents(memory, build_execution(READ, READ))
    assert last.patterns == (ZERO_PATTERN, ZERO_PATTERN)


def test_a_run_that_broke_off_says_nothing_of_what_is_read() -> None:
    first, *_ = iter_repaired_contents(build_memory(INT), build_execution())
    assert list_fillings(first) == [Filling.PERMUTATION]
    assert not has_atomic_access(build_execution(), 0)


def test_what_is_only_written_stays_as_it_is() -> None:
    memory = build_memory(INT, INT)
    execution = build_execution(READ, WRITTEN)
    for alternative in iter_livelier_contents(memory, execution, (3,)):
        assert alternative.patterns[1] == memory.patterns[1]


def test_values_that_the_kernel_compares_with_are_tried() -> None:
    memory = build_memory(FLOAT, INT)
    execution = build_execution(READ, READ)
    alternatives = list(iter_livelier_contents(memory, execution, (3, 9)))
    pools = {
        alternative.patterns[1].compared_values
        for alternative in alternatives
        if alternative.patterns[1].filling is Filling.COMPARED_VALUES
    }
    assert pools == {(3, 9)}
    assert all(
        alternative.patterns[0].filling is not Filling.COMPARED_VALUES
        for alternative in alternatives
    )


def test_only_numbers_of_64_bits_are_keys() -> None:
    memory = build_memory(INT, LONG)
    first, *later = iter_livelier_contents(memory, build_execution(READ, READ), ())
    assert list_fillings(first) == [Filling.DATA, Filling.PACKED_KEYS]
    assert all(
        Filling.PACKED_KEYS not in list_fillings(alternative) for alternative in later
    )
