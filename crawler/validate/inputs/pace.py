"""How many threads a traced grid of a kernel has: as few as its blocks are slow."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from crawler.validate.inputs.choices import by_name
from crawler.validate.inputs.plan import Subject, first_trial
from crawler.validate.inputs.trials import traced
from crawler.validate.simt.execution import Outcome

_PACE: Final = 0.5
"""Seconds that a traced run ought to take at most: a kernel is run some two hundred times."""


def paced(subject: Subject, seed: int) -> Subject:
    """Return the subject with as few blocks in a grid that is traced as each of them takes long."""
    trial = first_trial(subject, by_name, seed)
    (execution,) = traced(subject.program, subject.layout, [trial])
    ended = execution.outcome is Outcome.TIMEOUT
    seconds = trial.seconds if ended else execution.nanoseconds * 1e-9
    if seconds <= _PACE:
        return subject
    # a power of two: how quick a machine is shall seldom lead to other cases
    blocks = 1 << max(0, int(_PACE * (execution.blocks_done + ended) / seconds).bit_length() - 1)
    return replace(subject, most_threads=blocks * math.prod(trial.configuration.block))
