"""Permutations hold numbers up to their length: it must be that of what is read, in every run
of a trial.
"""

from __future__ import annotations

from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.informative_output import enlarge_buffers
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.inputs.trials.trial_memory import (
    INITIAL_BUFFER_BYTES,
    MAX_BUFFER_BYTES,
    TrialMemory,
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
