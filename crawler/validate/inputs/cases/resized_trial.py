"""Trials with other sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crawler.validate.evidence.names import is_block_size
from crawler.validate.inputs.ordinary.ordinary_trial import TrialSubject
from crawler.validate.inputs.sizes.stride_choices import is_stride_name
from crawler.validate.inputs.trials.trial import Trial, add_headroom, derive_unit_seed

GrowthRule = Callable[[int], int]


def resize_trial(
    subject: TrialSubject,
    base: Trial,
    grow: GrowthRule,
    case_number: int,
    seed: int,
    thread_factor: int = 1,
) -> Trial:
    """Return the base for the `case_number`th case, with each size as `grow` makes it and
    memory of which little is known.
    """
    known = base.configuration.free_variables

    def choose(text: str, names: tuple[str, ...], value: int) -> int:
        if is_block_size(names):
            return value
        ordinary = known.get(text, value)
        # rows that lay apart do so in smaller cases, too
        return max(ordinary, grow(ordinary)) if is_stride_name(text) else grow(ordinary)

    return replace(
        base,
        configuration=subject.choose_configuration(
            choose, thread_factor, base.configuration.block
        ),
        memory=add_headroom(base.memory),
        seed=derive_unit_seed(subject.unit.digest, seed * 100 + case_number),
        scalar_overrides=subject.select_mode_values(case_number),
    )
