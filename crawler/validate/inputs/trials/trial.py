"""Trial launches: a configuration, buffer contents and a seed, and what tracing shows of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.validate.emulator.execution import Execution, Outcome
from crawler.validate.emulator.launch import (
    Argument,
    Buffer,
    KernelLaunch,
    Pointer,
    ThreadOrder,
)
from crawler.validate.emulator.program import Program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.arguments.argument_layout import ArgumentLayout, BufferSlot
from crawler.validate.inputs.trials.buffer_contents import (
    Filling,
    FillPattern,
    generate_content,
)
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType

INITIAL_BUFFER_BYTES: Final = 1 << 16
"""Of a buffer whose extent is not known."""
MAX_BUFFER_BYTES: Final = 8 << 20
"""Of one buffer: what reaches further was led astray."""
MAX_TRACE_SECONDS: Final = 5.0
BYTE_ELEMENT: Final = ElementType("unsigned char", 1, ScalarType.U8)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMemory:
    """How each buffer of a launch is filled, and how large it is."""

    patterns: tuple[FillPattern, ...]
    elements: tuple[ElementType, ...]
    sizes: tuple[int, ...]
    """Bytes behind the pointer."""
    leading_bytes: tuple[int, ...]
    """Bytes in front of where the pointer points."""

    def with_pattern(self, buffer_index: int, pattern: FillPattern) -> TrialMemory:
        """Return the same with one buffer filled otherwise."""
        contents = (
            *self.patterns[:buffer_index],
            pattern,
            *self.patterns[buffer_index + 1 :],
        )
        return replace(self, patterns=contents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A launch as it is tried: configuration, memory, seed."""

    configuration: LaunchConfiguration
    memory: TrialMemory
    seed: int
    entry: int = 0
    scalar_overrides: Mapping[str, int | float] = field(default_factory=dict)
    """Scalars that are given other values than the configuration has."""
    reseeded_buffers: frozenset[int] = frozenset()
    """Buffers that have other numbers than their seed gives."""
    null_buffers: frozenset[int] = frozenset()
    """Buffers whose pointers are null."""
    max_seconds: float = MAX_TRACE_SECONDS
    """After which a traced run is given up."""

    def build_launch(
        self,
        layout: ArgumentLayout,
        *,
        order: ThreadOrder = ThreadOrder.FORWARD,
        max_seconds: float = 0.0,
    ) -> KernelLaunch:
        """Return it as a launch."""
        return KernelLaunch(
            entry=self.entry,
            grid=self.configuration.grid,
            block=self.configuration.block,
            shared_bytes=self.configuration.shared_bytes,
            buffers=self.build_buffers(layout),
            arguments=self.build_arguments(layout),
            order=order,
            seed=1,
            max_seconds=max_seconds or self.max_seconds,
        )

    def build_buffers(self, layout: ArgumentLayout) -> tuple[Buffer, ...]:
        """Return each buffer, with the pointers that stand in it: each element's to the same
        place.
        """
        contents = self.generate_contents()
        pointers: dict[int, list[tuple[int, Pointer]]] = {}
        for number, slot in enumerate(layout.buffer_slots):
            if slot.parent_slot >= 0:
                step, to = (
                    self.memory.elements[slot.parent_slot].size,
                    Pointer(buffer=number, offset=self.memory.leading_bytes[number]),
                )
                many = min(len(contents[slot.parent_slot]) // step, _MOST_LINKED)
                pointers.setdefault(slot.parent_slot, []).extend(
                    (at * step + slot.offset, to) for at in range(many)
                )
        return tuple(
            Buffer(size=len(each), content=each, pointers=tuple(pointers.get(at, ())))
            for at, each in enumerate(contents)
        )

    def generate_contents(self) -> tuple[bytes, ...]:
        """Return the bytes of each buffer."""
        memory = self.memory
        return tuple(
            generate_content(
                content,
                of,
                size + before,
                derive_seed(
                    self.seed, number + 1000 * (number in self.reseeded_buffers)
                ),
            )
            for number, (content, of, size, before) in enumerate(
                zip(
                    memory.patterns,
                    memory.elements,
                    memory.sizes,
                    memory.leading_bytes,
                    strict=True,
                )
            )
        )

    def build_arguments(self, layout: ArgumentLayout) -> tuple[Argument, ...]:
        """Return each argument: its numbers, and where it points."""
        values = {**self.configuration.scalars, **self.scalar_overrides}
        pointers: dict[int, list[tuple[int, Pointer]]] = {}
        for number, slot in enumerate(layout.buffer_slots):
            if slot.parent_slot >= 0:
                continue
            to = (
                Pointer()
                if number in self.null_buffers
                else Pointer(buffer=number, offset=self.memory.leading_bytes[number])
            )
            pointers.setdefault(slot.argument, []).append((slot.offset, to))
        return tuple(
            Argument(content=content, pointers=tuple(pointers.get(at, ())))
            for at, content in enumerate(layout.pack_arguments(values))
        )


_ROOM: Final = 1 << 12
_MOST_LINKED: Final = 1 << 10
"""Elements of a buffer that hold pointers."""
_DATA: Final = frozenset({Filling.DATA, Filling.BOUNDED_REALS, Filling.SPECIAL_VALUES})


def vary_inputs(trial: Trial, execution: Execution) -> tuple[Trial, Trial]:
    """Return a trial with other data, and with other data and indices; what is written begins
    the same.

    A kernel that reads nothing else is given other data where it writes.
    """
    read = _read(execution)
    data = [at for at in read if trial.memory.patterns[at].filling in _DATA]
    roomy = enlarge_buffers(trial)
    return replace(roomy, reseeded_buffers=frozenset(data)), replace(
        roomy, reseeded_buffers=frozenset(read)
    )


def has_informative_output(
    trial: Trial, execution: Execution, varied_executions: Sequence[Execution]
) -> bool:
    """Tell whether what a run wrote depends on what it read, or, where it only reads what it
    writes, is no constant.
    """
    written = [
        at
        for at, access in enumerate(execution.accesses)
        if access.written_range[0] != access.written_range[1]
    ]
    given = set(_read(execution))
    for other in varied_executions:
        if other.outcome is Outcome.DONE and any(
            _differs(execution, other, at) for at in written if at not in given
        ):
            return True
    if any(access.role == "in" for access in execution.accesses):
        return False
    if any(_changes(trial, execution, varied_executions, at) for at in written):
        return True
    return any(not writes_single_value(trial, execution, at) for at in written)


def _read(execution: Execution) -> list[int]:
    roles = [access.role for access in execution.accesses]
    wanted = "in" if "in" in roles else "inout"
    return [at for at, role in enumerate(roles) if role == wanted]


def _changes(
    trial: Trial, execution: Execution, others: Sequence[Execution], at: int
) -> bool:
    """Tell whether a run with other data changes bytes of a buffer to others than this one does."""
    before, after = trial.generate_contents()[at], execution.buffers[at]
    changed = [number for number, byte in enumerate(after) if byte != before[number]]
    return any(
        other.outcome is Outcome.DONE
        and any(other.buffers[at][number] != after[number] for number in changed)
        for other in others
    )


def _differs(execution: Execution, other: Execution, at: int) -> bool:
    """Tell whether a buffer ended otherwise in a run whose memory may be larger."""
    return other.buffers[at][: len(execution.buffers[at])] != execution.buffers[at]


def enlarge_buffers(trial: Trial) -> Trial:
    """Return a trial whose buffers are larger than it needs: other indices reach a little
    further.

    A permutation keeps its length: a longer one would reach as far as it is long.
    """
    memory = trial.memory
    sizes = tuple(
        size if content.filling is Filling.PERMUTATION else 2 * size + _ROOM
        for size, content in zip(memory.sizes, memory.patterns, strict=True)
    )
    return replace(trial, memory=replace(memory, sizes=sizes))


def writes_single_value(trial: Trial, execution: Execution, buffer_index: int) -> bool:
    """Tell whether all that a run has changed in a buffer holds one number now, or nothing has
    changed.
    """
    size = trial.memory.elements[buffer_index].scalar.size
    before, after = (
        trial.generate_contents()[buffer_index],
        execution.buffers[buffer_index],
    )
    found: set[bytes] = set()
    for begin in range(0, len(after), size):
        if after[begin : begin + size] != before[begin : begin + size]:
            found.add(after[begin : begin + size])
            if len(found) > 1:
                return False
    return True


def derive_seed(seed: int, index: int) -> int:
    """Return the seed of one of many."""
    return int.from_bytes(
        hashlib.sha256(f"{seed}:{index}".encode()).digest()[:8], "big"
    )


def build_initial_memory(
    slots: Sequence[BufferSlot],
    patterns: Sequence[FillPattern],
    default_element: ElementType,
) -> TrialMemory:
    """Return memory of which no extent is known; what has no type is taken for
    `default_element`.
    """
    return TrialMemory(
        patterns=tuple(patterns),
        elements=tuple(slot.element or default_element for slot in slots),
        sizes=(INITIAL_BUFFER_BYTES,) * len(slots),
        leading_bytes=(0,) * len(slots),
    )


def trace_trials(
    program: Program, layout: ArgumentLayout, trials: Sequence[Trial]
) -> tuple[Execution, ...]:
    """Run trials under the trace, all in one process family."""
    return (
        run_launches(program, [trial.build_launch(layout) for trial in trials])
        if trials
        else ()
    )


def fit_memory(memory: TrialMemory, execution: Execution) -> TrialMemory:
    """Return memory whose sizes are what a run has touched, to whole elements."""
    sizes, before = [], []
    for of, shift, access in zip(
        memory.elements, memory.leading_bytes, execution.accesses, strict=False
    ):
        ranges = [
            each
            for each in (access.read_range, access.written_range)
            if each[0] != each[1]
        ]
        end = max((each[1] - shift for each in ranges), default=0)
        begin = min((each[0] - shift for each in ranges), default=0)
        sizes.append(_whole(max(end, 0), of.size))
        before.append(_whole(max(-begin, 0), of.size))
    return replace(memory, sizes=tuple(sizes), leading_bytes=tuple(before))


def _whole(size: int, of: int) -> int:
    return -(-size // of) * of


def is_too_large(memory: TrialMemory) -> bool:
    """Tell whether a buffer reaches further than any that is meant."""
    return any(
        size + before > MAX_BUFFER_BYTES
        for size, before in zip(memory.sizes, memory.leading_bytes, strict=True)
    )


def add_headroom(memory: TrialMemory) -> TrialMemory:
    """Return memory with more room than it was found to need."""
    sizes = tuple(max(INITIAL_BUFFER_BYTES, 2 * size) for size in memory.sizes)
    return replace(memory, sizes=sizes)


def shorten_permutations(
    memory: TrialMemory, needed: TrialMemory
) -> TrialMemory | None:
    """Return memory whose permutations are as long as they are read, where they are longer;
    what they index is unknown.

    They hold numbers up to their length, so that what they index seems to reach as far.
    """
    permuted = [
        at
        for at, content in enumerate(memory.patterns)
        if content.filling is Filling.PERMUTATION
    ]
    if all(needed.sizes[at] >= memory.sizes[at] for at in permuted):
        return None
    sizes = (
        needed.sizes[at] if at in permuted else min(size, INITIAL_BUFFER_BYTES)
        for at, size in enumerate(memory.sizes)
    )
    return replace(memory, sizes=tuple(sizes))


def list_touched_ranges(execution: Execution) -> tuple[tuple[int, int, int, int], ...]:
    """Return what a run touched, to compare it with another."""
    return tuple((*each.read_range, *each.written_range) for each in execution.accesses)


def derive_unit_seed(unit_digest: str, seed: int) -> int:
    """Return the seed that a unit's contents come from."""
    return int.from_bytes(
        hashlib.sha256(f"{unit_digest}:{seed}".encode()).digest()[:8], "big"
    )


ZERO_PATTERN: Final = FillPattern(Filling.ZEROS)
