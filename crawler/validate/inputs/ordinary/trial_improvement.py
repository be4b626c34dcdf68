"""Run trials, improve the contents of the best, and rank what comes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.validate.inputs.ordinary.first_trial import forget_buffer_sizes
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.content_search import (
    fill_with_data,
    find_informative_contents,
    repair_contents,
)
from crawler.validate.inputs.trials.settled_trials import (
    TrialResult,
    count_touched_buffers,
    settle_buffer_sizes,
    writes_any_buffer,
)
from crawler.validate.inputs.trials.trial import MAX_TRACE_SECONDS, Trial

_MAX_IMPROVED_TRIALS: Final = 3
_QUICK_SECONDS: Final = 0.5
"""Seconds that a trial may take of which some dozen variations are run though others are better."""
_MIN_VARIATION_SECONDS: Final = 0.4
_VARIATION_TIME_FACTOR: Final = 20
"""Times as long as a trial its variations may take."""


def run_trials(
    subject: TrialSubject,
    trials: Sequence[Trial],
    previous_results: Sequence[TrialResult] = (),
) -> list[TrialResult]:
    """Run trials, improve the best of them, and return all results, the best first.

    `previous_results` are among those that are returned.
    """
    settled = settle_buffer_sizes(subject.program, subject.layout, trials)
    results = sorted(settled, key=measure_badness)

    for index, result in enumerate(results[:_MAX_IMPROVED_TRIALS]):
        # Its variations would take as long, and a time limit each.
        if "timeout" in result.problems:
            continue
        if index and result.execution.nanoseconds * 1e-9 > _QUICK_SECONDS:
            continue

        improved = _improve_contents(subject, result)
        results[index] = improved
        if improved.is_clean and improved.is_informative:
            break

    return sorted([*previous_results, *results], key=measure_badness)


def measure_badness(result: TrialResult) -> tuple[int, ...]:
    """Return a key that sorts results, the best first."""
    # A run that ended before it touched anything shows few of its problems, and one that
    # writes nothing has no results.
    is_idle = not count_touched_buffers(result.execution)
    if result.is_usable:
        is_idle = not writes_any_buffer(result.execution)

    return (
        int(not result.is_usable),
        int(is_idle),
        len(result.problems),
        int(not result.is_informative),
        int(not result.is_converged),
    )


def _improve_contents(subject: TrialSubject, result: TrialResult) -> TrialResult:
    """Return the trial with contents that cure its problems and make it informative."""
    program = subject.program
    layout = subject.layout
    if not result.is_clean:
        # Sizes that were found with wrong indices are wrong, too.
        unsized_trial = forget_buffer_sizes(subject, result.trial)
        repaired = repair_contents(program, layout, result, unsized_trial)
        result = min((result, *repaired), key=measure_badness)

    if not result.is_usable:
        return result

    result = _limit_variation_time(result)
    result = find_informative_contents(
        program,
        layout,
        result,
        forget_buffer_sizes(subject, result.trial),
        subject.compared_elements,
    )

    return fill_with_data(program, layout, result)


def _limit_variation_time(result: TrialResult) -> TrialResult:
    """Return a trial whose variations may take many times as long as it, and no longer."""
    run_seconds = result.execution.nanoseconds * 1e-9
    max_seconds = min(
        MAX_TRACE_SECONDS, _MIN_VARIATION_SECONDS + _VARIATION_TIME_FACTOR * run_seconds
    )

    return replace(result, trial=replace(result.trial, max_seconds=max_seconds))
