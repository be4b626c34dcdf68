"""Trace runs that only tell more of a kernel of which cases are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded, limit_endless_runs
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.trial import Trial, trace_trials

_MAX_ENDLESS_SECONDS: Final = 10.0


def trace_within_budget(
    subject: TrialSubject, trials: Sequence[Trial]
) -> Sequence[Execution]:
    """Return what came of each trial; where too many come to no end, that none did.

    They have a budget of their own, so that what is known of a kernel stays so.
    """
    try:
        with limit_endless_runs(_MAX_ENDLESS_SECONDS):
            return trace_trials(subject.program, subject.layout, trials)
    except CpuBudgetExceeded:
        return [Execution(outcome=Outcome.TIMEOUT)] * len(trials)
