"""Find what a kernel asks of its inputs beyond what its launcher says.

The search for inputs ends with contents and sizes that suit a kernel. Where ordinary ones do not,
that it needs the others is a precondition: its verdict is conditional.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.behaviour.verdict_messages import explain_code
from crawler.validate.cpu.cases.traced_probes import trace_within_budget
from crawler.validate.cpu.launcher_checks.launcher_buffers import find_buffer_allocation
from crawler.validate.emulator.execution_report import SHARED_MEMORY, Execution
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.informative_output import is_written
from crawler.validate.inputs.trials.initial_patterns import is_ascending_by_name
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.inputs.trials.trial_memory import TrialMemory, add_headroom

NEEDS_ALIGNED_SIZES: Final = "needs-aligned-sizes"
_NEEDS_UNIQUE_INDICES: Final = "needs-unique-indices"
_NEEDS_NONEMPTY_SEGMENTS: Final = "needs-nonempty-segments"
_NEEDS_LIMITED_VALUES: Final = "needs-limited-values"
_RACE: Final = "race"
# one condition of a launch, which begins with its keyword
_LOOP: Final = re.compile(r"(?:for|while|do)\b")
_INDEX_FILLINGS: Final = (
    Filling.PERMUTATION,
    Filling.ASCENDING,
    Filling.SMALL_INTEGERS,
)
_TWO_VALUES: Final = FillPattern(Filling.SMALL_INTEGERS, 2)
"""Of three indices two are the same."""
_DATA: Final = FillPattern(Filling.DATA)
_STAIRS: Final = FillPattern(Filling.ASCENDING_WITH_REPEATS, 3)
_ALARMS: Final = {
    _NEEDS_UNIQUE_INDICES: frozenset({"race"}),
    _NEEDS_NONEMPTY_SEGMENTS: frozenset({"divide-by-zero", "array-bounds"}),
    _NEEDS_LIMITED_VALUES: frozenset({"array-bounds", "uninitialised-read"}),
    _RACE: frozenset({"race"}),
}
"""The findings that show each precondition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Precondition:
    """What inputs must be like, without evidence that the host sees to it."""

    code: str
    message: str
    is_broken: bool = False
    """Whether the launcher shows that its inputs are not like that; `code` says what goes wrong."""


def describe_precondition(code: str, buffer_names: str = "") -> Precondition:
    """Return a precondition, with the names of the buffers that it is about."""
    message = explain_code(code)
    return Precondition(
        code=code, message=f"{message}: {buffer_names}" if buffer_names else message
    )


def find_precondition(subject: TrialSubject, base: TrialResult) -> Precondition | None:
    """Return what a kernel asks of the contents of its buffers; `None` where nothing shows."""
    variants = [
        (code, memory)
        for code, memory in _iter_ordinary_contents(subject, base)
        if memory != base.trial.memory
    ]
    trials = [
        replace(base.trial, memory=add_headroom(memory)) for _, memory in variants
    ]
    executions = trace_within_budget(subject, trials)

    for (code, memory), execution in zip(variants, executions, strict=True):
        if code == _NEEDS_LIMITED_VALUES and _reads_reals_alone(base):
            meeting = _describe_meeting(execution)
            if meeting:
                return Precondition(code=_RACE, message=meeting, is_broken=True)
        if not _shows_alarm(code, execution):
            continue

        lost_sum = _find_lost_sum(subject, execution)
        if code in (_NEEDS_UNIQUE_INDICES, _RACE) and lost_sum:
            return Precondition(code=_RACE, message=lost_sum, is_broken=True)
        # who asks for indices in order may meet where they are in none
        if code == _RACE:
            continue
        return describe_precondition(code, _name_changed(subject, base, memory))

    return None


def _iter_ordinary_contents(
    subject: TrialSubject, base: TrialResult
) -> Iterator[tuple[str, TrialMemory]]:
    """Yield contents as no host keeps from a kernel, with what it needs where they do not do."""
    memory = base.trial.memory
    inputs = [
        index for index, access in enumerate(base.execution.accesses) if access.is_input
    ]

    whole_numbers = [
        index
        for index in inputs
        if not memory.elements[index].scalar.is_real
        and not is_ascending_by_name(subject.layout.buffer_slots[index])
    ]
    indices = [
        index
        for index in whole_numbers
        if memory.patterns[index].filling in _INDEX_FILLINGS
    ]
    yield _NEEDS_UNIQUE_INDICES, memory.with_patterns(indices, _TWO_VALUES)

    repeated = [
        index
        for index in whole_numbers
        if memory.patterns[index].filling is Filling.ASCENDING_WITH_REPEATS
    ]
    yield _RACE, memory.with_patterns(repeated, _TWO_VALUES)

    segments = [
        index for index in inputs if memory.patterns[index].filling is Filling.ASCENDING
    ]
    yield _NEEDS_NONEMPTY_SEGMENTS, memory.with_patterns(segments, _STAIRS)

    # any number of one byte may stand in it, and most real numbers
    wide = [
        index
        for index in inputs
        if memory.elements[index].scalar.is_real or memory.elements[index].size == 1
    ]
    yield _NEEDS_LIMITED_VALUES, memory.with_patterns(wide, _DATA)


def _reads_reals_alone(base: TrialResult) -> bool:
    """Tell whether real numbers are all that a kernel is given, and does not change itself."""
    memory = base.trial.memory
    given = [
        index
        for index, access in enumerate(base.execution.accesses)
        if access.is_input and not is_written(access)
    ]
    return bool(given) and all(memory.elements[index].scalar.is_real for index in given)


def _describe_meeting(execution: Execution) -> str:
    """Return in words where threads meet with ordinary real numbers; empty where they do not.

    A caller may promise that no index comes twice, but not that no two numbers are below zero.
    """
    finding = execution.find_finding(_RACE)
    if finding is None:
        return ""
    return (
        f"{explain_code(_RACE)}, with real numbers of any sign: block {finding.block}, thread"
        f" {finding.thread}"
    )


def _shows_alarm(code: str, execution: Execution) -> bool:
    kinds = {finding.kind for finding in execution.findings}
    excess = execution.find_finding("out-of-bounds")
    if code == _NEEDS_LIMITED_VALUES and excess is not None:
        return excess.buffer == SHARED_MEMORY

    return not _ALARMS[code].isdisjoint(kinds)


def _find_lost_sum(subject: TrialSubject, execution: Execution) -> str:
    """Return in words that threads meet where they add to what the launcher has just set to zero;
    empty where they do not.

    Who expects each place once writes there: a sum that begins with zero is one of several. Where
    the launch is repeated, its terms may come from one launch each.
    """
    finding = execution.find_finding(_RACE)
    if finding is None or finding.buffer < 0 or _is_repeated(subject):
        return ""
    if not execution.accesses[finding.buffer].is_input:
        return ""

    allocation = find_buffer_allocation(subject, finding.buffer)
    if allocation is None or allocation.fill_byte != 0:
        return ""

    name = subject.layout.buffer_slots[finding.buffer].name
    return (
        f"{explain_code(_RACE)}: several threads add to one place of {name}, which its launcher has"
        f" set to zero: block {finding.block}, thread {finding.thread}"
    )


def _is_repeated(subject: TrialSubject) -> bool:
    """Tell whether a launch of the kernel stands in a loop."""
    return any(
        _LOOP.match(condition) is not None
        for launch in subject.kernel.launches
        for condition in launch.conditions
    )


def _name_changed(subject: TrialSubject, base: TrialResult, memory: TrialMemory) -> str:
    """Return the names of the buffers that hold other contents than in the base."""
    return ", ".join(
        slot.name
        for slot, before, after in zip(
            subject.layout.buffer_slots,
            base.trial.memory.patterns,
            memory.patterns,
            strict=True,
        )
        if before != after
    )
