"""Store a drafted case: its buffers, arguments and launch configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crawler.model import BufferRole, Case, CaseArgument, CaseBuffer, CasePointer
from crawler.validate.emulator.execution_report import Execution
from crawler.validate.emulator.launch import Argument, Pointer
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.informative_output import writes_single_value
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.parameter_types import list_argument_positions


def list_output_buffers(draft: CaseDraft) -> tuple[int, ...]:
    """Return the mere outputs, whose content before a launch is no input; not those that are
    given one value.
    """
    trial = draft.result.trial
    execution = draft.result.execution

    return tuple(
        number
        for number, access in enumerate(execution.accesses)
        if access.role == BufferRole.OUT
        and not writes_single_value(trial, execution, number)
    )


def build_case(
    subject: TrialSubject, draft: CaseDraft, golden: Execution, blobs: Blobs
) -> Case:
    """Return a case without golden outputs; its contents go into `blobs`."""
    configuration = draft.result.trial.configuration
    execution = draft.result.execution

    return Case(
        name=draft.name,
        kind=draft.kind,
        origin=draft.origin,
        source=draft.source,
        licence=draft.licence,
        entry=subject.entry,
        grid=configuration.grid,
        block=configuration.block,
        shared_bytes=configuration.shared_bytes,
        buffers=tuple(_iter_buffers(subject, draft, blobs)),
        arguments=tuple(_iter_arguments(subject, draft.result.trial, golden)),
        hidden=draft.is_hidden,
        bytes_read=sum(access.bytes_read for access in execution.accesses),
        bytes_written=sum(access.bytes_written for access in execution.accesses),
        operations=subject.operations.executed_operations(execution.counters),
    )


def _iter_buffers(
    subject: TrialSubject, draft: CaseDraft, blobs: Blobs
) -> Iterator[CaseBuffer]:
    trial = draft.result.trial
    output_buffers = list_output_buffers(draft)
    buffers = trial.build_buffers(subject.layout)

    for number, name in enumerate(trial.list_buffer_names(subject.layout)):
        element = trial.memory.elements[number]
        content = buffers[number].content or b""
        is_output = number in output_buffers
        yield CaseBuffer(
            name=name,
            element=element.name,
            element_size=element.size,
            size=len(content),
            role=BufferRole(draft.result.execution.accesses[number].role),
            content="" if is_output else blobs.put(content),
            pointers=() if is_output else _store_pointers(buffers[number].pointers),
        )


def _iter_arguments(
    subject: TrialSubject, trial: Trial, golden: Execution
) -> Iterator[CaseArgument]:
    names = [parameter.name for parameter in subject.kernel.parameters]
    for number, argument in enumerate(_iter_values(subject, trial, golden)):
        name = names[number] if number < len(names) else ""
        yield CaseArgument(
            name=name or f"argument{number}",
            content=argument.content.hex(),
            pointers=_store_pointers(argument.pointers),
        )


def _iter_values(
    subject: TrialSubject, trial: Trial, golden: Execution
) -> Iterator[Argument]:
    """Yield each argument of the kernel: as it was given, or as its constructor made it of what
    was.
    """
    # a stored case must not need the constructor that computed its arguments
    entry_arguments = trial.build_arguments(subject.layout)
    constructed = dict(golden.constructed_arguments)
    signature = subject.program.signatures[subject.entry]
    buffer_count = len(trial.build_buffers(subject.layout))

    for number, position in enumerate(list_argument_positions(signature)):
        if position >= 0:
            yield entry_arguments[position]
        else:
            yield _check_constructed(constructed.get(number), buffer_count)


def _check_constructed(argument: Argument | None, buffer_count: int) -> Argument:
    """Return a structure as a program told it; an empty one where it points into a buffer that
    there is not.
    """
    if argument is None:
        return Argument(content=b"")

    buffers = [pointer.buffer or 0 for _, pointer in argument.pointers]
    if any(not 0 <= buffer < buffer_count for buffer in buffers):
        return Argument(content=b"")

    return argument


def _store_pointers(
    pointers: Sequence[tuple[int, Pointer]],
) -> tuple[CasePointer, ...]:
    return tuple(
        CasePointer(at=offset, buffer=pointer.buffer, offset=pointer.offset)
        for offset, pointer in pointers
    )
