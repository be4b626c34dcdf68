"""Trials with other sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crawler.validate.evidence.names import is_block_size
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.sizes.stride_choices import is_stride_name
from crawler.validate.inputs.trials.trial import Trial, derive_unit_seed
from crawler.validate.inputs.trials.trial_memory import add_headroom

GrowthRule = Callable[[int], int]


def resize_trial(
    subject: TrialSubject,
    base: Trial,
    grow: GrowthRule,
    case_number: int,
    seed: int,
    thread_factor: int = 1,
) -> Trial:
    """Return the base for the `case_number`th case, with each size as `grow` makes it.

    Data and modes are those of the case, and buffer extents are not known yet. The grid has at
    most `thread_factor` times as many threads as that of an ordinary trial.
    """
    base_sizes = base.configuration.free_variables

    def choose(text: str, names: tuple[str, ...], value: int) -> int:
        if is_block_size(names):
            return value

        size = base_sizes.get(text, value)
        # Rows that lie apart have to do so in smaller cases, too.
        if is_stride_name(text):
            return max(size, grow(size))

        return grow(size)

    # The block stays: another one would be another kernel in effect.
    configuration = subject.choose_configuration(
        choose, thread_factor, base.configuration.block
    )
    return replace(
        base,
        configuration=configuration,
        memory=add_headroom(base.memory),
        seed=derive_unit_seed(subject.unit.digest, seed * 100 + case_number),
        scalar_overrides=subject.select_mode_values(case_number),
    )
