"""Tell whether the outputs of a run depend on its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.validate.emulator.execution_report import BufferAccess, Execution, Outcome
from crawler.validate.inputs.trials.fill_patterns import Filling
from crawler.validate.inputs.trials.trial import Trial

_ENLARGEMENT_BYTES: Final = 1 << 12
_DATA_FILLINGS: Final = frozenset(
    {Filling.DATA, Filling.BOUNDED_REALS, Filling.SPECIAL_VALUES}
)


def vary_inputs(trial: Trial, execution: Execution) -> tuple[Trial, Trial]:
    """Return a trial with other data, and one with other data and indices.

    Buffers that are only written begin the same. A kernel that reads nothing but what it writes
    has other data there.
    """
    read_buffers = _list_read_buffers(execution)
    data_buffers = [
        index
        for index in read_buffers
        if trial.memory.patterns[index].filling in _DATA_FILLINGS
    ]

    # Other indices may reach further than those that the memory was sized for.
    larger_trial = enlarge_buffers(trial)
    return (
        replace(larger_trial, reseeded_buffers=frozenset(data_buffers)),
        replace(larger_trial, reseeded_buffers=frozenset(read_buffers)),
    )


def enlarge_buffers(trial: Trial) -> Trial:
    """Return a trial whose buffers are larger than it needs: other indices reach further.

    A permutation keeps its length: a longer one would reach as far as it is long.
    """
    memory = trial.memory
    sizes: list[int] = []

    for size, pattern in zip(memory.sizes, memory.patterns, strict=True):
        is_permutation = pattern.filling is Filling.PERMUTATION
        sizes.append(size if is_permutation else 2 * size + _ENLARGEMENT_BYTES)

    return replace(trial, memory=replace(memory, sizes=tuple(sizes)))


def has_informative_output(
    trial: Trial, execution: Execution, varied_executions: Sequence[Execution]
) -> bool:
    """Tell whether what a run wrote depends on what it read.

    A run that only reads what it writes is informative, too, where that is no constant.
    `varied_executions` are runs of the trial with other inputs.
    """
    written_buffers = list_written_buffers(execution)
    read_buffers = set(_list_read_buffers(execution))
    output_buffers = [index for index in written_buffers if index not in read_buffers]

    for varied_execution in varied_executions:
        if varied_execution.outcome is not Outcome.DONE:
            continue
        if any(
            _differs(execution, varied_execution, index) for index in output_buffers
        ):
            return True

    # It reads inputs, and no output changed with them.
    if any(access.role == "in" for access in execution.accesses):
        return False
    if any(
        _changes_with_inputs(trial, execution, varied_executions, index)
        for index in written_buffers
    ):
        return True

    return any(
        not writes_single_value(trial, execution, index) for index in written_buffers
    )


def writes_single_value(trial: Trial, execution: Execution, buffer_index: int) -> bool:
    """Tell whether all that a run has changed in a buffer holds one number now.

    It does, too, where nothing has changed.
    """
    size = trial.memory.elements[buffer_index].scalar.size
    before = trial.generate_contents()[buffer_index]
    after = execution.buffers[buffer_index]

    values: set[bytes] = set()
    for begin in range(0, len(after), size):
        value = after[begin : begin + size]
        if value == before[begin : begin + size]:
            continue

        values.add(value)
        if len(values) > 1:
            return False

    return True


def list_written_buffers(execution: Execution) -> list[int]:
    """Return which buffers a run writes to."""
    return [
        index for index, access in enumerate(execution.accesses) if is_written(access)
    ]


def is_written(access: BufferAccess) -> bool:
    """Tell whether a run wrote to a buffer."""
    return access.written_range[0] != access.written_range[1]


def list_touched_ranges(execution: Execution) -> tuple[tuple[int, int, int, int], ...]:
    """Return the ranges that a run read and wrote of each buffer, to compare it with another."""
    return tuple(
        (*access.read_range, *access.written_range) for access in execution.accesses
    )


def _list_read_buffers(execution: Execution) -> list[int]:
    """Return the buffers that are only read; without any, those that are read and written."""
    roles = [access.role for access in execution.accesses]
    read_role = "in" if "in" in roles else "inout"

    return [index for index, role in enumerate(roles) if role == read_role]


def _changes_with_inputs(
    trial: Trial,
    execution: Execution,
    varied_executions: Sequence[Execution],
    buffer_index: int,
) -> bool:
    """Tell whether a run with other data changes bytes of a buffer to others than this one does."""
    before = trial.generate_contents()[buffer_index]
    after = execution.buffers[buffer_index]
    # Bytes that the kernel leaves alone differ because their inputs do.
    changed_offsets = [
        offset for offset, byte in enumerate(after) if byte != before[offset]
    ]

    for varied_execution in varied_executions:
        if varied_execution.outcome is not Outcome.DONE:
            continue

        varied_after = varied_execution.buffers[buffer_index]
        if any(varied_after[offset] != after[offset] for offset in changed_offsets):
            return True

    return False


def _differs(execution: Execution, varied_execution: Execution, index: int) -> bool:
    """Tell whether a buffer ended otherwise in a run whose memory may be larger."""
    content = execution.buffers[index]
    return varied_execution.buffers[index][: len(content)] != content
