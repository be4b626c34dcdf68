"""The first trial: contents by names and types, and no known extent."""

from __future__ import annotations

import pytest

from crawler.validate.inputs.ordinary.first_trial import (
    build_first_trial,
    forget_buffer_sizes,
)
from crawler.validate.inputs.sizes.size_choices import choose_usual_size
from crawler.validate.inputs.trials.fill_patterns import Filling
from crawler.validate.inputs.trials.trial_memory import INITIAL_BUFFER_BYTES
from crawler.validate.values.scalar_types import ScalarType
from tests.stand_ins.subjects import DESCRIPTION, build_plain_subject


def test_contents_are_small_and_sizes_unknown() -> None:
    trial = build_first_trial(build_plain_subject(), choose_usual_size, 0)
    assert [pattern.filling for pattern in trial.memory.patterns] == [
        Filling.BOUNDED_REALS,
        Filling.SMALL_INTEGERS,
        Filling.BOUNDED_REALS,
    ]
    assert trial.memory.sizes == (INITIAL_BUFFER_BYTES,) * 3
    assert trial.scalar_overrides == {"mode": 2, "is_causal": 1}


def test_the_seed_is_that_of_the_unit() -> None:
    subject = build_plain_subject()
    first = build_first_trial(subject, choose_usual_size, 0)
    assert first == build_first_trial(subject, choose_usual_size, 0)
    assert first.seed != build_first_trial(subject, choose_usual_size, 1).seed


@pytest.mark.parametrize(
    ("arguments", "scalar"),
    [
        ((), ScalarType.FLOAT),
        (("int", "4"), ScalarType.FLOAT),
        (("double",), ScalarType.DOUBLE),
        (("256", "c10::BFloat16"), ScalarType.BFLOAT16),
        (("__half", "double"), ScalarType.HALF),
    ],
)
def test_a_pointer_without_a_type_is_what_the_template_names(
    arguments: tuple[str, ...], scalar: ScalarType
) -> None:
    untyped = DESCRIPTION.replace(
        "p 8 8 f 4 1 T = [T = const float *]", "p 8 8 v 0 1 T = [T = const void *]"
    )
    subject = build_plain_subject(*arguments, description=untyped)
    trial = build_first_trial(subject, choose_usual_size, 0)
    assert trial.memory.elements[0].scalar is scalar


def test_sizes_are_forgotten_and_contents_are_kept() -> None:
    subject = build_plain_subject()
    trial = build_first_trial(subject, choose_usual_size, 0)
    assert forget_buffer_sizes(subject, trial) == trial
