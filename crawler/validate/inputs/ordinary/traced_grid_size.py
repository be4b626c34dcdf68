"""Limit the size of a traced grid by how long its blocks take."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from crawler.validate.emulator.execution import Outcome
from crawler.validate.inputs.ordinary.ordinary_trial import (
    TrialSubject,
    build_first_trial,
)
from crawler.validate.inputs.sizes.size_choices import choose_usual_size
from crawler.validate.inputs.trials.trial import trace_trials

_PACE: Final = 0.5
"""Seconds that a traced run ought to take at most: a kernel is run some two hundred times."""


def limit_traced_grid(subject: TrialSubject, seed: int) -> TrialSubject:
    """Return the subject with as few blocks in a grid that is traced as each of them takes long."""
    trial = build_first_trial(subject, choose_usual_size, seed)
    (execution,) = trace_trials(subject.program, subject.layout, [trial])
    ended = execution.outcome is Outcome.TIMEOUT
    seconds = trial.max_seconds if ended else execution.nanoseconds * 1e-9
    if seconds <= _PACE:
        return subject
    # a power of two: how quick a machine is shall seldom lead to other cases
    blocks = 1 << max(
        0, int(_PACE * (execution.completed_blocks + ended) / seconds).bit_length() - 1
    )
    return replace(subject, max_threads=blocks * math.prod(trial.configuration.block))
