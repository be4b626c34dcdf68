"""Find a trial of ordinary sizes that runs cleanly at a launch site of a kernel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from crawler.validate.emulator.cpu_budget import measure_used_seconds
from crawler.validate.emulator.execution_report import SHARED_MEMORY
from crawler.validate.evidence.launch_configuration import ValueChooser
from crawler.validate.inputs.ordinary.first_trial import build_first_trial
from crawler.validate.inputs.ordinary.trial_improvement import (
    measure_badness,
    run_trials,
)
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.sizes.size_choices import (
    choose_excess_blocks,
    choose_usual_size,
    generate_flat_grid_choices,
    generate_larger_choices,
    generate_nudged_choices,
    generate_size_choices,
    generate_small_choices,
    generate_wide_row_choices,
)
from crawler.validate.inputs.sizes.stride_choices import (
    choose_rounded_size,
    generate_far_stride_choices,
    generate_stride_choices,
)
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.initial_patterns import LINK_PATTERN
from crawler.validate.inputs.trials.problems import OVERWRITE
from crawler.validate.inputs.trials.settled_trials import (
    TrialResult,
    count_touched_buffers,
)
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.inputs.trials.trial_memory import add_headroom

_GAP_PATTERN: Final = FillPattern(Filling.INDICES_WITH_NONE, 4)
_KERNEL_FAULTS: Final = frozenset(
    {
        "race",
        "uninitialised-read",
        "divide-by-zero",
        "divergent-barrier",
        "divergent-warp",
    }
)
"""Problems that are the kernel's own where every choice of sizes shows them."""
_OVERLAP_PROBLEMS: Final = frozenset({"race", OVERWRITE})
"""Problems of a run in which rows overlap."""
_MAX_SECONDS: Final = 40.0
"""Of the processor that runs take, after which no further sizes are tried at a launch site."""
_OTHER_BLOCKS: Final = (
    (32, 1, 1),
    (64, 1, 1),
    (128, 1, 1),
    (512, 1, 1),
    (1024, 1, 1),
    (16, 16, 1),
    (8, 8, 8),
)


def find_ordinary_trial(subject: TrialSubject, seed: int) -> TrialResult:
    """Return the best trial of ordinary sizes: clean, or with the fewest problems.

    A fault that every natural choice of sizes shows, whatever memory holds, is the kernel's
    own: sizes that hide it, such as 1 of everything, are no cure. Strides are no such sizes:
    where rows overlap, the launch is wrong and not the kernel.
    """
    result = _search_sizes(subject, seed)
    finding = result.execution.find_finding("out-of-bounds")
    if finding is None or finding.buffer != SHARED_MEMORY:
        return result

    # Nothing said how much dynamic shared memory the launch needs: more of it may be enough.
    if not subject.launch_site.request_more_shared_memory(result.trial.configuration):
        return result

    return min(result, _search_sizes(subject, seed), key=measure_badness)


def _search_sizes(subject: TrialSubject, seed: int) -> TrialResult:
    max_used_seconds = measure_used_seconds() + _MAX_SECONDS
    # Each step adds to the results before, and the best so far stays in front.
    results = _try_natural_sizes(subject, seed)
    results = _try_separate_rows(subject, results, seed)

    if results[0].is_usable and not results[0].is_informative:
        larger_choices = generate_larger_choices(results[0].trial)
        results = _try_choices(subject, results, larger_choices, seed)

    if results[0].is_usable and not results[0].is_informative:
        # Most buffers are touched where the most threads have work.
        busiest = max(
            results, key=lambda result: count_touched_buffers(result.execution)
        )
        block_trials = list(_iter_other_blocks(subject, busiest.trial))
        results = run_trials(subject, block_trials, results)

    if results[0].is_usable:
        return results[0]
    # The launch is known and every trial shows the fault: it is the kernel's own.
    if subject.launch_site.has_computed_block and _common_kernel_faults(results):
        return results[0]
    if measure_used_seconds() > max_used_seconds:
        return results[0]

    # Nothing ended: less work may.
    if all("timeout" in result.problems for result in results):
        return _try_small_sizes(subject, seed)[0]

    return _try_nudged_sizes(subject, results, seed)[0]


def _try_choices(
    subject: TrialSubject,
    results: Sequence[TrialResult],
    choices: Iterable[ValueChooser],
    seed: int,
) -> list[TrialResult]:
    """Return the results of further choices of sizes and those before, the best first."""
    trials = [build_first_trial(subject, choose, seed) for choose in choices]
    return run_trials(subject, trials, results)


def _try_natural_sizes(subject: TrialSubject, seed: int) -> list[TrialResult]:
    """Return the results of sizes by their names, and of others where these are not good."""
    first_trial = build_first_trial(subject, choose_usual_size, seed)
    results = run_trials(subject, [first_trial])
    results = _try_single_turn(subject, results, seed)
    if results[0].is_clean and results[0].is_informative:
        return results

    block_threads = math.prod(first_trial.configuration.block)
    results = _try_choices(subject, results, generate_size_choices(block_threads), seed)
    # A mode that the launch does not support may be what fails.
    if not results[0].is_clean and subject.mode_values:
        other_mode = replace(
            first_trial, scalar_overrides=subject.select_mode_values(1)
        )
        results = run_trials(subject, [other_mode], results)

    return results


def _try_single_turn(
    subject: TrialSubject, results: list[TrialResult], seed: int
) -> list[TrialResult]:
    """Try more blocks than work where one block's turns race for its shared memory.

    A launch that has a block for each piece of work never takes a second turn.
    """
    race = results[0].execution.find_finding("race")
    if race is None or race.buffer != SHARED_MEMORY:
        return results

    grid_variables = results[0].trial.configuration.grid_variables
    if not grid_variables:
        return results

    return _try_choices(subject, results, [choose_excess_blocks(grid_variables)], seed)


def _try_separate_rows(
    subject: TrialSubject, results: list[TrialResult], seed: int
) -> list[TrialResult]:
    """Try strides and sizes that keep rows apart, where they may overlap."""
    names = list(results[0].trial.configuration.free_variables)
    if not (results[0].is_clean and results[0].is_informative):
        stride_choices = generate_stride_choices(names)
        results = _try_choices(subject, results, stride_choices, seed)

    if _has_overlap(results[0]):
        far_stride_choices = generate_far_stride_choices(names)
        results = _try_choices(subject, results, far_stride_choices, seed)

    if _has_overlap(results[0]):
        flat_grid_choices = generate_flat_grid_choices(
            results[0].trial.configuration.grid_variables,
            [choose_usual_size, *generate_stride_choices(names)],
        )

        results = _try_choices(subject, results, flat_grid_choices, seed)

    if results[0].is_usable and not results[0].is_clean:
        wide_row_choices = generate_wide_row_choices(results[0].trial)
        results = _try_choices(subject, results, wide_row_choices, seed)

    return results


def _has_overlap(result: TrialResult) -> bool:
    return not _OVERLAP_PROBLEMS.isdisjoint(result.problems)


def _try_small_sizes(subject: TrialSubject, seed: int) -> list[TrialResult]:
    """Try little work, also with links that end: a kernel may follow others in a circle."""
    small_trials = [
        build_first_trial(subject, choose, seed) for choose in generate_small_choices()
    ]
    ending_trials = [
        _fill_signed_integers(small_trials[0], pattern)
        for pattern in (LINK_PATTERN, _GAP_PATTERN)
    ]

    return run_trials(subject, [*ending_trials, *small_trials])


def _try_nudged_sizes(
    subject: TrialSubject, results: list[TrialResult], seed: int
) -> list[TrialResult]:
    best_trial = results[0].trial
    nudged_trials = [
        build_first_trial(subject, choose, seed)
        for choose in generate_nudged_choices(best_trial)
    ]

    block_trials = _iter_other_blocks(subject, best_trial)
    return run_trials(subject, [*nudged_trials, *block_trials], results)


def _common_kernel_faults(results: Sequence[TrialResult]) -> frozenset[str]:
    problem_sets = [result.problems for result in results]
    return _KERNEL_FAULTS.intersection(*problem_sets)


def _fill_signed_integers(trial: Trial, pattern: FillPattern) -> Trial:
    """Return a trial whose signed buffers hold some indices that mean none."""
    signed_buffers = [
        index
        for index, element in enumerate(trial.memory.elements)
        if element.scalar.integer_range[0] < 0 and not element.scalar.is_real
    ]

    memory = trial.memory.with_patterns(signed_buffers, pattern)
    return replace(trial, memory=memory)


def _iter_other_blocks(subject: TrialSubject, trial: Trial) -> Iterator[Trial]:
    """Yield the trial with other blocks, and with sizes in whole blocks.

    There are none where the launch site says how large a block is.
    """
    if not subject.launch_site.has_guessed_block:
        return

    # Other blocks alone, and then sizes that fit them.
    def choose_same_size(text: str, _names: tuple[str, ...], value: int) -> int:
        return trial.configuration.free_variables.get(text, value)

    for block in _OTHER_BLOCKS:
        block_threads = math.prod(block)
        choose_whole_blocks = partial(
            choose_rounded_size, block_threads, choose_usual_size
        )

        for choose in (choose_same_size, choose_whole_blocks):
            yield replace(
                trial,
                configuration=subject.choose_configuration(choose, block=block),
                memory=add_headroom(trial.memory),
            )
