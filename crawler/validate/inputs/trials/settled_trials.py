"""Size the memory of trials until their runs stay within it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.program import Program
from crawler.validate.inputs.arguments.argument_layout import ArgumentLayout
from crawler.validate.inputs.trials.informative_output import is_written
from crawler.validate.inputs.trials.problems import OVERWRITE, find_problems
from crawler.validate.inputs.trials.trial import Trial, trace_trials
from crawler.validate.inputs.trials.trial_memory import (
    TrialMemory,
    fit_memory,
    is_too_large,
    shorten_permutations,
)

_MAX_ROUNDS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """Memory that a configuration runs with, and what its run showed."""

    trial: Trial
    execution: Execution
    problems: tuple[str, ...] = ()
    is_converged: bool = True
    """Whether the memory has the sizes that the run needs."""
    is_informative: bool = False
    """Whether its outputs are known to depend on its inputs."""

    @property
    def is_clean(self) -> bool:
        """Tell whether nothing is wrong with the run and its memory is what it needs."""
        return self.is_usable and not self.problems

    @property
    def is_usable(self) -> bool:
        """Tell whether it can be run for its results: clean, or with a race that these judge."""
        if not self.is_converged or self.execution.outcome is not Outcome.DONE:
            return False

        return set(self.problems) <= {OVERWRITE}

    def is_as_clean_as(self, base: TrialResult) -> bool:
        """Tell whether it is usable, and only has problems that `base` has, too."""
        if not self.is_usable:
            return False

        return set(self.problems) <= set(base.problems)


def settle_buffer_sizes(
    program: Program,
    layout: ArgumentLayout,
    trials: Sequence[Trial],
    first_executions: Sequence[Execution] = (),
) -> tuple[TrialResult, ...]:
    """Size the memory of trials until their runs stay within it.

    All are run together, round after round; `first_executions` are those of the first round,
    where the trials were run before.
    """
    current = list(trials)
    results: dict[int, TrialResult] = {}

    # Indices that are read from a buffer may reach further once it has another size.
    for round_number in range(_MAX_ROUNDS):
        is_last_round = round_number == _MAX_ROUNDS - 1
        pending: list[int] = []
        for index in range(len(current)):
            if index not in results:
                pending.append(index)

        pending_trials = [current[index] for index in pending]
        executions = tuple(first_executions) if round_number == 0 else ()
        executions = executions or trace_trials(program, layout, pending_trials)

        for index, execution in zip(pending, executions, strict=True):
            trial = current[index]
            needed = fit_memory(trial.memory, execution)
            # A permutation that is longer than it is read is the usual cause.
            if is_too_large(needed) and not is_last_round:
                needed = shorten_permutations(trial.memory, needed) or needed

            is_settled = (
                is_last_round
                or execution.outcome is not Outcome.DONE
                or is_too_large(needed)
                or _has_same_sizes(trial.memory, needed)
            )

            if is_settled:
                results[index] = _build_result(trial, needed, execution)
            else:
                current[index] = replace(trial, memory=needed)

        if len(results) == len(current):
            break

    return tuple(results[index] for index in range(len(current)))


def count_touched_buffers(execution: Execution) -> int:
    """Return how many buffers a run reads or writes."""
    return sum(access.role != "unused" for access in execution.accesses)


def writes_any_buffer(execution: Execution) -> bool:
    """Tell whether a run writes to any buffer."""
    return any(is_written(access) for access in execution.accesses)


def _has_same_sizes(memory: TrialMemory, needed: TrialMemory) -> bool:
    if memory.sizes != needed.sizes:
        return False

    return memory.leading_bytes == needed.leading_bytes


def _build_result(
    trial: Trial, needed: TrialMemory, execution: Execution
) -> TrialResult:
    # `extent`: no size is enough, as when data is used as an index.
    if is_too_large(needed):
        return TrialResult(
            trial=trial, execution=execution, problems=("extent",), is_converged=False
        )

    # The run of a kernel that did not end says nothing about sizes.
    has_ended = execution.outcome is Outcome.DONE
    return TrialResult(
        trial=trial,
        execution=execution,
        problems=find_problems(execution),
        is_converged=not has_ended or _has_same_sizes(trial.memory, needed),
    )
