"""Validate a kernel on the CPU: choose which of its instantiations are run, and which speaks for
it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from crawler.model import Behaviour, Kernel, KernelUnit
from crawler.validate.cpu.entry_validation import validate_entry
from crawler.validate.cpu.instantiation_choice import (
    choose_instantiations,
    choose_other_types,
    iter_unlike,
)
from crawler.validate.cpu.result import CpuValidation, build_failed_validation
from crawler.validate.emulator.cpu_budget import (
    CpuBudgetExceeded,
    limit_endless_runs,
    measure_used_seconds,
)
from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.recordings.recorded_cases import list_launched_entries
from crawler.validate.recordings.recorded_launch import RecordedLaunch

MAX_ENDLESS_SECONDS: Final = 60.0
"""Seconds of the processor that runs of a kernel may take which come to no end."""
MAX_RETRIED_SECONDS: Final = 30.0
"""Seconds of the processor that runs of a kernel may have taken when another instantiation is
tried.
"""
_INSTANTIATION_PROBLEMS: Final = (
    "assertion",
    "trap",
    "unsupported",
    "trivial-output",
    "host-compile-error",
    "array-bounds",
)
"""Why one instantiation may not run though another does: it may be meant for a newer device, or
for none.
"""
_REFUSALS: Final = ("assertion", "trap")
"""Why one may not run though another of other types does: it says itself that it is not meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstantiationBudget:
    """How much running instantiations of a kernel besides the first may cost."""

    instantiations: int
    """Of a kernel that are run, with the first."""
    seconds: float
    """After which no further one is begun."""


def validate_on_cpu(
    kernel: Kernel,
    unit: KernelUnit | None = None,
    *,
    seed: int = 0,
    recordings: Sequence[RecordedLaunch] = (),
) -> CpuValidation:
    """Find inputs for `unit`, or the kernel's own, run the instantiation that speaks for it in
    every way that may tell something, and judge it.

    Some of its cases are made of `recordings`, launches that its project's own code made.

    What goes wrong is in the verdict; raises `MissingTool` where the sandbox does not work.
    """
    unit = unit or kernel.unit
    if unit is None:
        raise ValueError(
            "a kernel without a unit cannot be run: see its `unit_problem`"
        )

    # such a library is of a device's compilers; beside our shims of it nothing would compile
    if unit.installed_libraries:
        return build_failed_validation(unit, Behaviour.UNSUPPORTED, "installed-library")

    # each endless run costs its whole time, and there may be hundreds of trials
    with limit_endless_runs(MAX_ENDLESS_SECONDS):
        return _validate_first(kernel, unit, seed, recordings)


def iter_further_entries(
    unit: KernelUnit,
    first: CpuValidation,
    budget: InstantiationBudget,
    recordings: Sequence[RecordedLaunch] = (),
) -> Iterator[int]:
    """Yield the numbers of instantiations that are run besides that of `first`, those first that
    `recordings` launch, then those that are unlike all before, until `budget` is spent, counted
    from now.

    None where the first came to no cases: the others would cost as much for nothing.
    """
    if first.suite is None:
        return

    deadline = time.monotonic() + budget.seconds
    known_labels = {
        validation.run.instantiation for validation in (first, *first.tried)
    }
    known_entries = [
        entry
        for entry, instantiation in enumerate(unit.instantiations)
        if instantiation.label in known_labels
    ]
    wanted_count = max(0, budget.instantiations - len(known_entries))
    launched_entries = list_launched_entries(unit, recordings)
    entries = sorted(
        iter_unlike(unit.instantiations, known_entries),
        key=lambda entry: entry not in launched_entries,
    )

    for entry in islice(entries, wanted_count):
        if time.monotonic() > deadline:
            return
        yield entry


def validate_further(
    kernel: Kernel,
    unit: KernelUnit,
    entry: int,
    *,
    seed: int = 0,
    recordings: Sequence[RecordedLaunch] = (),
) -> CpuValidation:
    """Return what comes of one more instantiation, which speaks for itself alone."""
    with limit_endless_runs(MAX_ENDLESS_SECONDS):
        validation, _ = _validate_labelled(kernel, unit, entry, seed, recordings)

    return _mark_as_further(validation)


def _validate_first(
    kernel: Kernel,
    unit: KernelUnit,
    seed: int,
    recordings: Sequence[RecordedLaunch],
) -> CpuValidation:
    """Return what comes of the first instantiation that runs, or of the one that stands for all."""
    validations: list[CpuValidation] = []
    # a list that grows while it is walked
    launched_entries = list_launched_entries(unit, recordings)
    entries = list(choose_instantiations(unit.instantiations, launched_entries))

    for entry in entries:
        validation, is_spent = _validate_labelled(kernel, unit, entry, seed, recordings)
        validations.append(validation)
        if is_spent or validation.suite is not None:
            return _speak_for_all(validations, len(validations) - 1)

        code = validation.run.pass_exe.code
        if code not in _INSTANTIATION_PROBLEMS:
            break
        # one that is refused is so at once: what was searched at length is meant for this device
        if measure_used_seconds() > MAX_RETRIED_SECONDS:
            break

        if code in _REFUSALS and len(validations) == 1:
            entries += choose_other_types(unit.instantiations)

    return _speak_for_all(validations, 0)


def _speak_for_all(validations: list[CpuValidation], position: int) -> CpuValidation:
    """Return the validation at `position`, with the others as those that were tried, too."""
    other_validations = [*validations[:position], *validations[position + 1 :]]
    return replace(
        validations[position],
        tried=tuple(_mark_as_further(validation) for validation in other_validations),
    )


def _mark_as_further(validation: CpuValidation) -> CpuValidation:
    return replace(validation, run=replace(validation.run, is_further=True))


def _validate_labelled(
    kernel: Kernel,
    unit: KernelUnit,
    entry: int,
    seed: int,
    recordings: Sequence[RecordedLaunch],
) -> tuple[CpuValidation, bool]:
    """Return what comes of an instantiation, with its label and its time, and whether its runs
    took all the time that they may.
    """
    start = time.monotonic()
    is_spent = False
    try:
        validation = validate_entry(kernel, unit, entry, seed, recordings)
    except CpuBudgetExceeded as error:
        is_spent = True
        validation = _build_spent_validation(unit, error.outcome)

    run = replace(
        validation.run,
        instantiation=unit.instantiations[entry].label if unit.instantiations else "",
        seconds=round(time.monotonic() - start, 3),
    )

    return replace(validation, run=run), is_spent


def _build_spent_validation(unit: KernelUnit, outcome: Outcome) -> CpuValidation:
    """Return the validation of a unit whose runs took all the time that they may."""
    is_timeout = outcome is Outcome.TIMEOUT
    behaviour = Behaviour.TIMEOUT if is_timeout else Behaviour.UNSUPPORTED
    return build_failed_validation(unit, behaviour, str(outcome))
