"""Search for buffer contents with which a kernel runs cleanly, by tracing its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.program import Program
from crawler.validate.inputs.arguments.argument_layout import ArgumentLayout
from crawler.validate.inputs.trials.alternative_contents import (
    DATA_PATTERN,
    iter_livelier_contents,
    iter_repaired_contents,
)
from crawler.validate.inputs.trials.fill_patterns import FIXED_FILLINGS, Filling
from crawler.validate.inputs.trials.informative_output import (
    has_informative_output,
    list_touched_ranges,
    vary_inputs,
)
from crawler.validate.inputs.trials.problems import (
    find_problems,
    find_undefined_arithmetic,
)
from crawler.validate.inputs.trials.settled_trials import (
    TrialResult,
    count_touched_buffers,
    settle_buffer_sizes,
)
from crawler.validate.inputs.trials.trial import Trial, trace_trials
from crawler.validate.inputs.trials.trial_memory import TrialMemory, fit_memory

_MAX_PROMISING: Final = 3


def repair_contents(
    program: Program, layout: ArgumentLayout, failed: TrialResult, unsized_trial: Trial
) -> list[TrialResult]:
    """Fill the memory of a trial that has problems in other ways, and return the best results.

    `unsized_trial` is the trial before any extent was known.
    """
    # Keys of a dictionary: alternatives without duplicates, in their order.
    alternatives = dict.fromkeys(
        iter_repaired_contents(failed.trial.memory, failed.execution)
    )
    # A run that broke off may have no accesses.
    read_sizes: tuple[int, ...] = ()
    if failed.execution.accesses:
        read_sizes = fit_memory(failed.trial.memory, failed.execution).sizes

    trials: list[Trial] = []
    for alternative in alternatives:
        memory = replace(unsized_trial.memory, patterns=alternative.patterns)
        memory = _with_permutations_as_read(memory, read_sizes)
        trials.append(replace(unsized_trial, memory=memory))

    return list(_settle_promising(program, layout, trials, ()))


def find_informative_contents(
    program: Program,
    layout: ArgumentLayout,
    base: TrialResult,
    unsized_trial: Trial,
    compared_values: tuple[int, ...] = (),
) -> TrialResult:
    """Return the trial, or one with other contents, whose outputs depend on its inputs.

    Among several it is the one that uses most buffers. `compared_values` are those that the
    kernel compares elements with.
    """
    (is_informative,) = check_input_dependence(program, layout, [base])
    base = replace(base, is_informative=is_informative)
    uses_all_buffers = count_touched_buffers(base.execution) == len(layout.buffer_slots)
    if base.is_informative and uses_all_buffers:
        return base

    alternatives = dict.fromkeys(
        iter_livelier_contents(base.trial.memory, base.execution, compared_values)
    )
    trials: list[Trial] = []

    for alternative in alternatives:
        memory = replace(unsized_trial.memory, patterns=alternative.patterns)
        trials.append(replace(unsized_trial, memory=memory))

    settled = _settle_promising(program, layout, trials, base.problems)
    # Other contents must not bring problems that the base does not have.
    usable = [result for result in settled if result.is_as_clean_as(base)]

    candidates = [base]
    checks = check_input_dependence(program, layout, usable)

    for result, is_informative in zip(usable, checks, strict=True):
        candidates.append(replace(result, is_informative=is_informative))

    return max(
        candidates,
        key=lambda result: (
            result.is_informative,
            count_touched_buffers(result.execution),
        ),
    )


def fill_with_data(
    program: Program, layout: ArgumentLayout, base: TrialResult
) -> TrialResult:
    """Return the trial with each buffer filled as widely as the run allows.

    That is data wherever a buffer indexes nothing.
    """
    memory = base.trial.memory
    read_buffers = [
        index
        for index in range(len(layout.buffer_slots))
        if base.execution.accesses[index].is_input
        and memory.patterns[index].filling not in FIXED_FILLINGS
    ]

    if not read_buffers:
        return base

    # Each buffer alone: one that indexes must not spoil the others.
    wide_trials = [
        replace(base.trial, memory=memory.with_pattern(index, DATA_PATTERN))
        for index in read_buffers
    ]

    executions = trace_trials(program, layout, wide_trials)
    data_buffers = [
        index
        for index, execution in zip(read_buffers, executions, strict=True)
        if _behaves_alike(base, execution)
    ]

    wide_trial = replace(
        base.trial, memory=memory.with_patterns(data_buffers, DATA_PATTERN)
    )
    (wide,) = settle_buffer_sizes(program, layout, [wide_trial])

    base_use = count_touched_buffers(base.execution)
    if not wide.is_as_clean_as(base):
        return base
    if count_touched_buffers(wide.execution) < base_use:
        return base

    (is_informative,) = check_input_dependence(program, layout, [wide])
    # Wider contents that tell less are no gain.
    if base.is_informative and not is_informative:
        return base

    return replace(wide, is_informative=is_informative)


def check_input_dependence(
    program: Program, layout: ArgumentLayout, results: Sequence[TrialResult]
) -> list[bool]:
    """Tell of each run whether its outputs depend on its inputs.

    It is run again with other data, and with other data and indices.
    """
    varied_trials: list[Trial] = []
    for result in results:
        varied_trials.extend(vary_inputs(result.trial, result.execution))

    executions = trace_trials(program, layout, varied_trials)
    checks: list[bool] = []

    for index, result in enumerate(results):
        varied_executions = executions[2 * index : 2 * index + 2]
        checks.append(
            has_informative_output(result.trial, result.execution, varied_executions)
        )

    return checks


def _settle_promising(
    program: Program,
    layout: ArgumentLayout,
    trials: Sequence[Trial],
    accepted_problems: Sequence[str],
) -> tuple[TrialResult, ...]:
    """Return the few trials whose first run has the fewest problems and touches most buffers,
    in memory of the size that they need.
    """
    executions = trace_trials(program, layout, trials)

    def rank(index: int) -> tuple[int, int]:
        problems = find_problems(executions[index], ignore_out_of_bounds=True)
        new_problems = set(problems) - set(accepted_problems)

        return len(new_problems), -count_touched_buffers(executions[index])

    # The first run of unsized memory is enough to tell which to size.
    ranked = sorted(range(len(trials)), key=rank)
    promising = ranked[:_MAX_PROMISING]

    return settle_buffer_sizes(
        program,
        layout,
        [trials[index] for index in promising],
        [executions[index] for index in promising],
    )


def _with_permutations_as_read(
    memory: TrialMemory, read_sizes: Sequence[int]
) -> TrialMemory:
    """Return memory whose permutations are as long as what was read.

    A longer permutation reaches as far as it is long.
    """
    sizes = list(memory.sizes)
    for index, size in enumerate(read_sizes):
        is_permutation = memory.patterns[index].filling is Filling.PERMUTATION
        if size and is_permutation:
            sizes[index] = size

    return replace(memory, sizes=tuple(sizes))


def _behaves_alike(base: TrialResult, execution: Execution) -> bool:
    """Tell whether a run touched what the base touched, and has no other problems."""
    if execution.outcome is not Outcome.DONE:
        return False
    if list_touched_ranges(execution) != list_touched_ranges(base.execution):
        return False
    if not set(find_problems(execution)) <= set(base.problems):
        return False

    undefined_arithmetic = find_undefined_arithmetic(execution)
    return undefined_arithmetic <= find_undefined_arithmetic(base.execution)
