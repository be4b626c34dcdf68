"""Permutations hold numbers up to their length: it must be that of what is read, in every run
of a trial.
"""

from __future__ import annotations

from dataclasses import replace

from crawler.validate.emulator.execution_report import BufferAccess, Execution, Outcome
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.trials.fill_patterns import (
    ZERO_PATTERN,
    Filling,
    FillPattern,
)
from crawler.validate.inputs.trials.informative_output import enlarge_buffers
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.inputs.trials.trial_memory import (
    INITIAL_BUFFER_BYTES,
    MAX_BUFFER_BYTES,
    TrialMemory,
    add_headroom,
    fit_memory,
    is_too_large,
    shorten_permutations,
)
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType

FLOAT, INT = (
    ElementType("float", 4, ScalarType.FLOAT),
    ElementType("int", 4, ScalarType.I32),
)
INDEXED = (FillPattern(Filling.DATA), FillPattern(Filling.PERMUTATION))


def build_memory(data: int, indices: int) -> TrialMemory:
    return TrialMemory(
        patterns=INDEXED,
        elements=(FLOAT, INT),
        sizes=(data, indices),
        leading_bytes=(0, 0),
    )


def test_other_indices_reach_as_far_where_they_are_a_permutation() -> None:
    configuration = LaunchConfiguration(
        grid=(1, 1, 1), block=(32, 1, 1), shared_bytes=0, scalars={}, free_variables={}
    )
    enlarged = enlarge_buffers(
        Trial(configuration=configuration, memory=build_memory(800, 400), seed=1)
    ).memory
    assert enlarged.sizes[0] > 2 * 800
    assert enlarged.sizes[1] == 400


def test_a_permutation_that_is_longer_than_it_is_read_is_cut_before_anything_is_too_large() -> (
    None
):
    needed = build_memory(2 * MAX_BUFFER_BYTES, 400)
    assert shorten_permutations(
        build_memory(INITIAL_BUFFER_BYTES, INITIAL_BUFFER_BYTES), needed
    ) == build_memory(INITIAL_BUFFER_BYTES, 400)
    assert shorten_permutations(build_memory(INITIAL_BUFFER_BYTES, 400), needed) is None


def test_memory_fits_what_a_run_touched_in_whole_elements() -> None:
    execution = Execution(
        outcome=Outcome.DONE,
        accesses=(
            BufferAccess(read_range=(2, 9), written_range=(0, 0)),
            BufferAccess(read_range=(0, 0), written_range=(0, 0)),
        ),
    )
    needed = fit_memory(build_memory(INITIAL_BUFFER_BYTES, 400), execution)
    assert needed.sizes == (12, 0)
    assert needed.leading_bytes == (0, 0)


def test_an_access_in_front_of_the_pointer_needs_leading_bytes() -> None:
    access = BufferAccess(read_range=(-6, 8), written_range=(4, 10))
    execution = Execution(outcome=Outcome.DONE, accesses=(access, access))
    needed = fit_memory(build_memory(64, 64), execution)
    assert needed.sizes == (12, 12)
    assert needed.leading_bytes == (8, 8)

    # The next run counts from the begin of the memory, which lies in front of the pointer.
    shifted = BufferAccess(read_range=(2, 16), written_range=(12, 18))
    execution = Execution(outcome=Outcome.DONE, accesses=(shifted, shifted))
    settled = fit_memory(needed, execution)
    assert (settled.sizes, settled.leading_bytes) == (needed.sizes, (8, 8))


def test_a_buffer_beyond_the_limit_is_too_large() -> None:
    assert not is_too_large(build_memory(MAX_BUFFER_BYTES, 0))
    assert is_too_large(build_memory(MAX_BUFFER_BYTES + 4, 0))
    leading = replace(build_memory(MAX_BUFFER_BYTES, 0), leading_bytes=(4, 0))
    assert is_too_large(leading)


def test_headroom_is_twice_the_size_and_never_less_than_at_first() -> None:
    memory = build_memory(INITIAL_BUFFER_BYTES, 400)
    assert add_headroom(memory).sizes == (
        2 * INITIAL_BUFFER_BYTES,
        INITIAL_BUFFER_BYTES,
    )


def test_other_patterns_leave_the_memory_itself_as_it_is() -> None:
    memory = build_memory(64, 64)
    zeros = memory.with_patterns(range(2), ZERO_PATTERN)
    assert zeros.patterns == (ZERO_PATTERN, ZERO_PATTERN)
    assert memory.with_pattern(1, ZERO_PATTERN).patterns == (
        INDEXED[0],
        ZERO_PATTERN,
    )
    assert memory.patterns == INDEXED
    assert zeros.sizes == memory.sizes
