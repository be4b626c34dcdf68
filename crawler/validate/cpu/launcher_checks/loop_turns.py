"""Trials whose numbers are those of turns of the loops that their kernel is launched in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from crawler.model import Kernel
from crawler.validate.cpu.launcher_checks.loop_values import (
    HostLoop,
    find_host_loops,
    list_loop_values,
)
from crawler.validate.evidence.evaluation import evaluate, to_number
from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.trial import Trial


def find_launching_loops(kernel: Kernel) -> tuple[HostLoop, ...]:
    """Return the loops whose numbers a kernel may be passed.

    Many loops count, and most by the same few names: only those that a launch stands in tell
    what it is passed, and only where all launches stand in the same.
    """
    by_factor = [
        loop
        for code in kernel.host
        for loop in find_host_loops(code.source)
        if not loop.is_counting
    ]
    counting = {
        loop: None
        for launch in kernel.launches
        for condition in launch.conditions
        for loop in find_host_loops(condition)
        if loop.is_counting
    }
    name_counts = Counter(loop.name for loop in (*by_factor, *counting))

    return (
        *by_factor,
        *(loop for loop in counting if name_counts[loop.name] == 1),
    )


def fit_to_loops(
    subject: TrialSubject, trial: Trial, loops: Sequence[HostLoop]
) -> Trial | None:
    """Return a trial in which each number that one of the launcher's `loops` passes is that of a
    turn: the last one that is known, where it counts; `None` where there is none.
    """
    last_turns: dict[str, int] = {}
    for loop, value in _iter_passed_values(subject, trial, loops):
        turns = list_loop_values(loop, _make_evaluator(subject, trial))
        if turns is None and loop.is_counting:
            # whoever counts to what is not known may come to any number
            continue
        if not turns or (value not in turns and not loop.is_counting):
            return None
        if value not in turns:
            last_turns[loop.name] = max(turns)

    if not last_turns:
        return trial

    fitted = replace(
        trial, configuration=_choose_turns(subject, trial.configuration, last_turns)
    )
    changed = _iter_passed_values(subject, fitted, loops)
    if any(last_turns.get(loop.name, value) != value for loop, value in changed):
        return None

    return fitted


def _choose_turns(
    subject: TrialSubject,
    configuration: LaunchConfiguration,
    turns: Mapping[str, int],
) -> LaunchConfiguration:
    def choose(text: str, _names: tuple[str, ...], value: int) -> int:
        return turns.get(text, int(configuration.free_variables.get(text, value)))

    return subject.choose_configuration(choose, block=configuration.block)


def _iter_passed_values(
    subject: TrialSubject, trial: Trial, loops: Iterable[HostLoop]
) -> Iterator[tuple[HostLoop, int | float]]:
    """Yield the loops whose numbers are passed on as they are, with what is passed."""
    loops_by_name = {loop.name: loop for loop in loops}
    for parameter, argument in subject.launch_site.arguments.items():
        loop = loops_by_name.get(argument)
        value = trial.configuration.scalars.get(parameter)
        if loop is not None and value is not None:
            yield loop, value


def _make_evaluator(subject: TrialSubject, trial: Trial) -> Callable[[str], int | None]:
    """Return what evaluates a text of the launcher with the sizes of a trial."""
    free_variables = trial.configuration.free_variables

    def resolve(text: str, _names: tuple[str, ...]) -> int | float:
        if text not in free_variables:
            raise ValueError(text)
        return free_variables[text]

    scope = EvaluationScope(
        resolve_free=resolve, definitions=subject.launch_site.definitions
    )

    def evaluate_text(text: str) -> int | None:
        number = to_number(evaluate(parse_expression(text), scope))
        return number if isinstance(number, int) else None

    return evaluate_text
