"""Turn a recorded launch into a trial by the signature of its kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.validate.emulator.launch import Pointer
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.ordinary.first_trial import guess_default_element
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.trial import derive_unit_seed
from crawler.validate.inputs.trials.trial_memory import TrialMemory
from crawler.validate.recordings.converted_launch import convert_launch
from crawler.validate.recordings.recorded_launch import RecordedLaunch, RecordedPointer
from crawler.validate.recordings.recorded_trial import RecordedTrial, choose_pattern
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.parameter_types import (
    ParameterType,
    Signature,
    StructureMember,
    TypeKind,
    parse_signatures,
)
from crawler.validate.values.scalar_types import ScalarType

_BYTE: Final = ElementType("unsigned char", 1, ScalarType.U8)
_POINTER_BYTES: Final = 8
_MAX_BUFFERS: Final = 60
"""Of a launch: the program that runs it takes 64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Memory:
    """The buffers of a launch: those of the layout's pointers, then those behind them."""

    position_by_buffer: Mapping[int, int]
    """Where each recorded buffer lies among them."""
    pointers: tuple[RecordedPointer, ...]
    """That the signature knows for pointers."""
    links: tuple[RecordedPointer, ...]
    count: int

    def resolve(self, place: RecordedPointer) -> Pointer:
        buffer = self.position_by_buffer[place.buffer]
        return Pointer(buffer=buffer, offset=place.offset)


def read_recorded_signature(launch: RecordedLaunch) -> Signature:
    """Return the types of a launch's parameters, without the members of structures."""
    lines = [f"parameter {parameter.description}" for parameter in launch.parameters]
    (signature,) = parse_signatures("\n".join(["entry 0", *lines]))
    return signature


def build_recorded_trial(
    subject: TrialSubject, launch: RecordedLaunch
) -> RecordedTrial | None:
    """Return a launch as a trial of `subject`, with wider or narrower numbers where it has such;
    `None` where it does not fit its parameters, or has more memory than a launch of ours.
    """
    signature = subject.program.signatures[subject.entry]
    # what a constructor takes was not recorded
    if any(parameter.constructed_parameter >= 0 for parameter in signature):
        return None

    fitting = convert_launch(launch, read_recorded_signature(launch), signature)
    if fitting is None:
        return None

    memory = _arrange_memory(subject, signature, fitting)
    if memory.count > _MAX_BUFFERS:
        return None

    return _build_trial(subject, fitting, memory)


def _arrange_memory(
    subject: TrialSubject, signature: Signature, launch: RecordedLaunch
) -> _Memory:
    pointers = [
        pointer
        for pointer in launch.pointers
        if _is_pointer(signature[pointer.owner], pointer.at)
    ]
    slots = subject.layout.buffer_slots
    target_by_place = {
        (pointer.owner, pointer.at): pointer.buffer for pointer in pointers
    }
    position_by_buffer: dict[int, int] = {}

    for number, slot in enumerate(slots):
        target = target_by_place.get((slot.argument, slot.offset))
        if slot.parent_slot < 0 and target is not None:
            position_by_buffer.setdefault(target, number)

    count = len(slots)
    for pointer in pointers:
        if pointer.buffer not in position_by_buffer:
            position_by_buffer[pointer.buffer] = count
            count += 1

    links: list[RecordedPointer] = []
    linking = {
        pointer.buffer
        for pointer in pointers
        if _may_point_on(signature[pointer.owner])
    }
    # recorded in the order in which they were reached: an owner comes before what it points to
    for link in launch.links:
        if link.owner not in linking:
            continue
        links.append(link)
        linking.add(link.buffer)
        if link.buffer not in position_by_buffer:
            position_by_buffer[link.buffer] = count
            count += 1

    return _Memory(
        position_by_buffer=position_by_buffer,
        pointers=tuple(pointers),
        links=tuple(links),
        count=count,
    )


def _is_pointer(parameter: ParameterType, offset: int) -> bool:
    """Tell whether a pointer stands at `offset` of a parameter: what nobody has initialised may
    look like one.
    """
    if parameter.kind is TypeKind.POINTER:
        return offset == 0
    if not parameter.members:
        return parameter.kind is TypeKind.CLASS

    return any(offset in _list_pointer_offsets(member) for member in parameter.members)


def _list_pointer_offsets(member: StructureMember) -> Sequence[int]:
    if member.type.kind is not TypeKind.POINTER:
        return ()
    end = member.offset + member.count * _POINTER_BYTES
    return range(member.offset, end, _POINTER_BYTES)


def _may_point_on(parameter: ParameterType) -> bool:
    """Tell whether there may be pointers in what a parameter points to."""
    if parameter.kind is TypeKind.CLASS:
        return not parameter.members or any(
            member.type.pointee_kind in (TypeKind.POINTER, TypeKind.CLASS)
            for member in parameter.members
        )
    if parameter.pointee_kind is TypeKind.POINTER:
        return True
    if parameter.pointee_kind is not TypeKind.CLASS:
        return False

    members = parameter.pointee_members
    return not members or any(
        member.type.kind is TypeKind.POINTER for member in members
    )


def _build_trial(
    subject: TrialSubject, launch: RecordedLaunch, memory: _Memory
) -> RecordedTrial:
    links: list[list[tuple[int, Pointer]]] = [[] for _ in range(memory.count)]
    for link in memory.links:
        owner = memory.position_by_buffer[link.owner]
        links[owner].append((link.at, memory.resolve(link)))

    contents = [b""] * memory.count
    for buffer, position in memory.position_by_buffer.items():
        content = launch.buffers[buffer].read_before()
        contents[position] = clear_pointers(content, links[position])

    elements = _list_elements(subject, memory)
    return RecordedTrial(
        configuration=LaunchConfiguration(
            grid=launch.grid,
            block=launch.block,
            shared_bytes=launch.shared_bytes,
            scalars={},
            free_variables={},
        ),
        memory=TrialMemory(
            patterns=tuple(choose_pattern(element) for element in elements),
            elements=elements,
            sizes=tuple(map(len, contents)),
            leading_bytes=(0,) * memory.count,
        ),
        seed=derive_unit_seed(subject.unit.digest, 0),
        entry=subject.entry,
        layout=subject.layout,
        arguments=tuple(parameter.content for parameter in launch.parameters),
        pointers=tuple(
            (pointer.owner, pointer.at, memory.resolve(pointer))
            for pointer in memory.pointers
        ),
        contents=tuple(contents),
        links=tuple(map(tuple, links)),
        names=_list_names(subject, memory.count),
    )


def _list_elements(subject: TrialSubject, memory: _Memory) -> tuple[ElementType, ...]:
    default = guess_default_element(subject)
    slots = subject.layout.buffer_slots
    elements = [slot.element or default for slot in slots]
    elements += [_BYTE] * (memory.count - len(slots))

    element_by_parent = {
        slot.parent_slot: elements[number]
        for number, slot in enumerate(slots)
        if slot.parent_slot >= 0
    }
    for link in memory.links:
        owner = memory.position_by_buffer[link.owner]
        target = memory.position_by_buffer[link.buffer]
        if target >= len(slots) and owner in element_by_parent:
            elements[target] = element_by_parent[owner]

    return tuple(elements)


def _list_names(subject: TrialSubject, count: int) -> tuple[str, ...]:
    names = [slot.name for slot in subject.layout.buffer_slots]
    further = range(1, count - len(names) + 1)
    return (*names, *(f"memory{number}" for number in further))


def clear_pointers(content: bytes, links: Sequence[tuple[int, Pointer]]) -> bytes:
    """Return the bytes of a buffer with null where pointers stand."""
    if not links:
        return content

    cleared = bytearray(content)
    for offset, _ in links:
        cleared[offset : offset + _POINTER_BYTES] = bytes(_POINTER_BYTES)

    return bytes(cleared)


def iter_differences(
    trial: RecordedTrial,
    launch: RecordedLaunch,
    memory_after: Sequence[bytes],
    subject: TrialSubject,
) -> Iterator[tuple[str, int]]:
    """Yield the name of each buffer that a launch of ours left otherwise than the recorded one,
    and the first byte that differs.
    """
    signature = subject.program.signatures[subject.entry]
    memory = _arrange_memory(subject, signature, launch)
    for buffer, position in memory.position_by_buffer.items():
        links = trial.links[position]
        expected = clear_pointers(launch.buffers[buffer].read_after(), links)
        actual = memory_after[position] if position < len(memory_after) else b""
        if actual == expected:
            continue

        pairs = enumerate(zip(actual, expected, strict=False))
        offset = next(
            (position for position, (ours, theirs) in pairs if ours != theirs), 0
        )
        yield trial.names[position], offset
