"""The buffers of a trial as the launcher of their kernel allocates them."""

from __future__ import annotations

import math
from typing import Final

from crawler.model import Extents
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.evidence.allocations.allocation import Allocation
from crawler.validate.evidence.allocations.tensor_axes import find_asked_axes
from crawler.validate.inputs.arguments.argument_slots import BufferSlot
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.trial import Trial

_UNTOUCHED: Final = "unused"
_NULL_POINTERS: Final = ("nullptr", "NULL")


def find_buffer_allocation(subject: TrialSubject, index: int) -> Allocation | None:
    """Return what the launcher says of a buffer; `None` where it says nothing of it."""
    slot = subject.layout.buffer_slots[index]
    if slot.parent_slot >= 0:
        return None

    parameter, _, member = slot.name.partition(".")
    allocation = subject.launch_site.allocations.get(parameter)
    if allocation is None or not member:
        return allocation

    # of several pointers in a structure nothing says which is meant
    siblings = [
        other
        for other in subject.layout.buffer_slots
        if other.argument == slot.argument and other.parent_slot < 0
    ]
    return allocation if len(siblings) == 1 else None


def find_aliased_buffers(subject: TrialSubject) -> dict[int, int]:
    """Return the buffers that are one with an earlier one, as the launcher passes both the same."""
    arguments = subject.launch_site.arguments
    first_buffers: dict[str, int] = {}
    aliases: dict[int, int] = {}

    for index, slot in enumerate(subject.layout.buffer_slots):
        argument = arguments.get(slot.name, "")
        # an expression may be another place each time, and `nullptr` is none
        is_name = argument.isidentifier() and argument not in _NULL_POINTERS
        if slot.parent_slot >= 0 or not is_name:
            continue

        first = first_buffers.setdefault(argument, index)
        if first != index:
            aliases[index] = first

    return aliases


def compute_buffer_bytes(subject: TrialSubject, trial: Trial, index: int) -> int | None:
    """Return the bytes of a buffer by its launcher; `None` where it does not tell them."""
    allocation = find_buffer_allocation(subject, index)
    if allocation is None:
        return None

    slot = subject.layout.buffer_slots[index]
    element_size = trial.memory.elements[index].size
    if allocation.size is None:
        shape = _read_shape(subject, trial, slot)
        return math.prod(shape) * element_size if shape else None

    extent = trial.configuration.extents.get(slot.name.partition(".")[0])
    if extent is None:
        return None

    return extent.count * (extent.element_size or element_size)


def classify_extents(
    subject: TrialSubject, trial: Trial, execution: Execution
) -> Extents:
    """Return for how many of the buffers that a launch touches the launcher tells the size: all,
    some or none; none of a launch that came to no end.
    """
    if execution.outcome is not Outcome.DONE:
        return Extents.UNPROVEN

    are_measured = [
        compute_buffer_bytes(subject, trial, index) is not None
        for index, access in enumerate(execution.accesses)
        if access.role != _UNTOUCHED
    ]
    if are_measured and all(are_measured):
        return Extents.LAUNCHER

    return Extents.INFERRED if any(are_measured) else Extents.UNPROVEN


def _read_shape(
    subject: TrialSubject, trial: Trial, slot: BufferSlot
) -> tuple[int, ...]:
    """Return the shape that an accessor holds; empty where the kernel goes by another one.

    A kernel that never asks this tensor for the size of an axis asks another, of which nothing
    tells that it is of the same shape.
    """
    parameter = slot.name.partition(".")[0]
    asked_axes = find_asked_axes([subject.kernel.source])
    shape: list[int] = []

    for extent in subject.layout.scalar_slots:
        if extent.argument != slot.argument or extent.role != "shape":
            continue
        if extent.axis not in asked_axes.get(parameter, ()):
            return ()

        shape.append(int(trial.configuration.scalars[extent.name]))

    return tuple(shape)
