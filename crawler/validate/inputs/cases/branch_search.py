"""Draw random trials until the branches of a kernel are taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.validate.inputs.cases.random_trials import RandomTrials
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.settled_trials import (
    TrialResult,
    settle_buffer_sizes,
)
from crawler.validate.strength.coverage_mapping import BranchKey, find_taken_branches

MAX_BATCHES: Final = 4
_MAX_FRUITLESS_BATCHES: Final = 2
"""Batches in a row that take no new branch, after which no other is drawn."""
_MAX_REACHING_TRIALS: Final = 8
_MAX_SPARE_TRIALS: Final = 2
"""Trials that are kept although they take no new branch: they differ, and detect mutants."""


class BranchCoverage:
    """The branches of one entry, and those that some run took."""

    def __init__(self, subject: TrialSubject) -> None:
        self._function_branches = subject.function_branches
        self._known_branches: set[BranchKey] = set()
        self._taken_branches: set[BranchKey] = set()

    def record_run(self, result: TrialResult) -> bool:
        """Record the branches of a run; tell whether it took one that none has before."""
        counters = result.execution.counters
        # Functions that never ran are not known to belong to this entry.
        for function, _ in counters:
            branches = self._function_branches.get(function, ())
            self._known_branches.update(branch.key for branch in branches)

        taken_branches = {
            branch.key
            for branch in find_taken_branches(self._function_branches, counters)
        }

        has_new_branch = not taken_branches <= self._taken_branches
        self._taken_branches |= taken_branches

        return has_new_branch

    @property
    def is_complete(self) -> bool:
        """Tell whether no branch is left."""
        return self._known_branches <= self._taken_branches


def search_branches(
    subject: TrialSubject,
    base: TrialResult,
    known_results: Sequence[TrialResult],
    seed: int,
) -> tuple[TrialResult, ...]:
    """Return runs that end cleanly and take branches that none of `known_results` takes.

    A few that take no new branch come last.
    """
    coverage = BranchCoverage(subject)
    for result in known_results:
        coverage.record_run(result)

    random_trials = RandomTrials(subject, base, seed)
    reaching: list[TrialResult] = []
    spare: list[TrialResult] = []
    fruitless_batches = 0

    for batch in range(MAX_BATCHES):
        if fruitless_batches == _MAX_FRUITLESS_BATCHES:
            break
        if len(reaching) >= _MAX_REACHING_TRIALS:
            break
        # One batch is drawn in any case, for the spare trials.
        if batch and coverage.is_complete:
            break

        count_before = len(reaching)
        trials = list(random_trials.draw_batch(batch))

        for result in settle_buffer_sizes(subject.program, subject.layout, trials):
            if not result.is_as_clean_as(base):
                continue
            if coverage.record_run(result):
                reaching.append(result)
            else:
                spare.append(result)

        if len(reaching) == count_before:
            fruitless_batches += 1
        else:
            fruitless_batches = 0

    return (*reaching[:_MAX_REACHING_TRIALS], *spare[:_MAX_SPARE_TRIALS])
