"""Limit the size of a traced grid by how long its blocks take."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.inputs.ordinary.first_trial import build_first_trial
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.sizes.size_choices import choose_usual_size
from crawler.validate.inputs.trials.trial import trace_trials

_TARGET_SECONDS: Final = 0.5
"""Seconds that a traced run should take at most: a kernel is run some two hundred times."""
_SMALLER_SECONDS: Final = 2.0
"""Seconds after which a run is given up that has a smaller grid than one which took all its
time: several times what it should take, for a kernel that waits without end is tried with
dozens of sizes.
"""


def limit_traced_grid(subject: TrialSubject, seed: int) -> TrialSubject:
    """Return the subject with a limit of threads at which a traced run is quick enough."""
    trial = build_first_trial(subject, choose_usual_size, seed)
    (execution,) = trace_trials(subject.program, subject.layout, [trial])
    has_timed_out = execution.outcome is Outcome.TIMEOUT
    seconds = execution.nanoseconds * 1e-9
    if has_timed_out:
        seconds = trial.max_seconds
    if seconds <= _TARGET_SECONDS:
        return subject

    # The block that was running when time ran out counts as one.
    block_count = execution.completed_blocks + int(has_timed_out)
    affordable_blocks = int(_TARGET_SECONDS * block_count / seconds)

    # A power of two, so that the speed of a machine seldom leads to other cases.
    max_blocks = 1 << max(0, affordable_blocks.bit_length() - 1)
    block_threads = math.prod(trial.configuration.block)

    return replace(
        subject,
        max_threads=max_blocks * block_threads,
        max_trace_seconds=_SMALLER_SECONDS if has_timed_out else trial.max_seconds,
    )
