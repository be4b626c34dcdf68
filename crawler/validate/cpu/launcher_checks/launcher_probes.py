"""Launches of a kernel as its launcher makes them, of its own sizes and of others near them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from crawler.validate.cpu.launcher_checks.launcher_buffers import find_aliased_buffers
from crawler.validate.cpu.launcher_checks.loop_turns import (
    find_launching_loops,
    fit_to_loops,
)
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.cases.resized_trial import GrowthRule, resize_trial
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.sizes.size_choices import choose_usual_size
from crawler.validate.inputs.trials.fill_patterns import FIXED_FILLINGS, ZERO_PATTERN
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.inputs.trials.trial_memory import add_headroom

_MIN_LARGE: Final = 8
"""Sizes from which on one more or less is no other kernel: what is less counts taps and axes."""
_MIN_TILED: Final = 4
_MAX_TILED: Final = 100
_TILES: Final = 8
"""Times as large becomes what may be less than a tile."""
_GROWTH_RULES: Final[tuple[GrowthRule, ...]] = (
    lambda value: value + 1 if value >= _MIN_LARGE else value,
    lambda value: value - 1 if value >= _MIN_LARGE else value,
    lambda value: (value + 7) | 1 if value >= _MIN_LARGE else value,
    lambda value: value * _TILES + 1 if _MIN_TILED <= value < _MAX_TILED else value,
    lambda value: min(value, 1),
)
"""One more and one less than the sizes that were found, odd ones, some of several tiles, and 1 of
everything.
"""
_MIN_PROBE_SECONDS: Final = 1.0
"""Seconds that each launch may take at least: those of several tiles take far longer."""


def iter_probes(subject: TrialSubject, base: TrialResult, seed: int) -> Iterator[Trial]:
    """Yield trials of different configurations with no value that the launcher does not pass."""
    configurations: list[LaunchConfiguration] = []
    aliases = find_aliased_buffers(subject)
    loops = find_launching_loops(subject.kernel)

    for launch in _iter_launches(subject, base.trial, seed):
        trial = fit_to_loops(subject, launch, loops) if loops else launch
        if trial is None:
            continue

        configuration = trial.configuration
        if configuration in configurations or not _is_possible(configuration):
            continue
        if _is_emptied(configuration, base.trial.configuration):
            continue
        configurations.append(configuration)
        yield replace(
            trial,
            scalar_overrides=_select_unpassed(subject, base.trial.scalar_overrides),
            null_buffers=frozenset(),
            aliases=aliases,
            max_seconds=max(base.trial.max_seconds, _MIN_PROBE_SECONDS),
        )


def _iter_launches(subject: TrialSubject, base: Trial, seed: int) -> Iterator[Trial]:
    """Yield the base with its sizes, others near them, and those that their names ask for."""
    yield resize_trial(subject, base, lambda value: value, 0, seed)
    # a launcher chooses `<T, 64>` where a size is 64
    if subject.launch_site.template_values:
        return

    for grow in _GROWTH_RULES:
        yield resize_trial(subject, base, grow, 0, seed)

    usual = subject.choose_configuration(
        choose_usual_size, block=base.configuration.block
    )
    yield replace(base, configuration=usual, memory=add_headroom(base.memory))


def _select_unpassed(
    subject: TrialSubject, overrides: Mapping[str, int | float]
) -> dict[str, int | float]:
    """Return those overrides of scalars that the launcher does not say what it passes for."""
    arguments = subject.launch_site.arguments
    return {
        name: value
        for name, value in overrides.items()
        if name.partition(".")[0] not in arguments
    }


def _is_possible(configuration: LaunchConfiguration) -> bool:
    """Tell whether no size is negative, as those of a result smaller than its window are."""
    numbers = [
        *configuration.scalars.values(),
        *(extent.count for extent in configuration.extents.values()),
    ]
    return all(number >= 0 for number in numbers)


def _is_emptied(configuration: LaunchConfiguration, base: LaunchConfiguration) -> bool:
    """Tell whether memory is empty that is not in the base: its launcher would launch nothing."""
    return any(
        extent.count == 0 and name in base.extents and base.extents[name].count > 0
        for name, extent in configuration.extents.items()
    )


def fill_with_zeros(trial: Trial) -> Trial:
    """Return the trial with zeros in all memory whose content is not fixed."""
    memory = trial.memory
    # a lock or a link of another content may let no run end
    emptied = [
        index
        for index, pattern in enumerate(memory.patterns)
        if pattern.filling not in FIXED_FILLINGS
    ]
    return replace(trial, memory=memory.with_patterns(emptied, ZERO_PATTERN))
