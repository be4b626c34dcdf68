"""Launches with chosen contents, and what tracing told of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.validate.elements import Element
from crawler.validate.evidence.configuration import Configuration
from crawler.validate.inputs.contents import Content, Filling, filled
from crawler.validate.inputs.slots import Layout, Slot
from crawler.validate.numbers import Code
from crawler.validate.simt.execution import Execution, Outcome
from crawler.validate.simt.launch import Argument, Buffer, Launch, Order, Pointer
from crawler.validate.simt.program import Program
from crawler.validate.simt.run import execute

FIRST_BYTES: Final = 1 << 16
"""Of a buffer whose extent is not known."""
MOST_BYTES: Final = 8 << 20
"""Of one buffer: what reaches further was led astray."""
TRACE_SECONDS: Final = 5.0
BYTES: Final = Element("unsigned char", 1, Code.U8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """How each buffer of a launch is filled, and how large it is."""

    contents: tuple[Content, ...]
    elements: tuple[Element, ...]
    sizes: tuple[int, ...]
    """Bytes behind the pointer."""
    before: tuple[int, ...]
    """Bytes in front of where the pointer points."""

    def with_content(self, number: int, content: Content) -> Memory:
        """Return the same with one buffer filled otherwise."""
        contents = (*self.contents[:number], content, *self.contents[number + 1 :])
        return replace(self, contents=contents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A launch as it is tried: configuration, memory, seed."""

    configuration: Configuration
    memory: Memory
    seed: int
    entry: int = 0
    modes: Mapping[str, int | float] = field(default_factory=dict)
    """Scalars that are given other values than the configuration has."""
    reseeded: frozenset[int] = frozenset()
    """Buffers that have other numbers than their seed gives."""
    nulls: frozenset[int] = frozenset()
    """Buffers whose pointers are null."""
    seconds: float = TRACE_SECONDS
    """After which a traced run is given up."""

    def launch(self, layout: Layout, *, order: Order = Order.FORWARD, seconds: float = 0.0) -> Launch:
        """Return it as a launch."""
        return Launch(
            entry=self.entry,
            grid=self.configuration.grid,
            block=self.configuration.block,
            shared_bytes=self.configuration.shared_bytes,
            buffers=self.buffers(layout),
            arguments=self.arguments(layout),
            order=order,
            seed=1,
            seconds=seconds or self.seconds,
        )

    def buffers(self, layout: Layout) -> tuple[Buffer, ...]:
        """Return each buffer, with the pointers that stand in it: each element's to the same place."""
        contents = self.contents()
        pointers: dict[int, list[tuple[int, Pointer]]] = {}
        for number, slot in enumerate(layout.slots):
            if slot.inside >= 0:
                step, to = (
                    self.memory.elements[slot.inside].size,
                    Pointer(buffer=number, offset=self.memory.before[number]),
                )
                many = min(len(contents[slot.inside]) // step, _MOST_LINKED)
                pointers.setdefault(slot.inside, []).extend((at * step + slot.at, to) for at in range(many))
        return tuple(
            Buffer(size=len(each), content=each, pointers=tuple(pointers.get(at, ())))
            for at, each in enumerate(contents)
        )

    def contents(self) -> tuple[bytes, ...]:
        """Return the bytes of each buffer."""
        memory = self.memory
        return tuple(
            filled(content, of, size + before, derived(self.seed, number + 1000 * (number in self.reseeded)))
            for number, (content, of, size, before) in enumerate(
                zip(memory.contents, memory.elements, memory.sizes, memory.before, strict=True)
            )
        )

    def arguments(self, layout: Layout) -> tuple[Argument, ...]:
        """Return each argument: its numbers, and where it points."""
        values = {**self.configuration.scalars, **self.modes}
        pointers: dict[int, list[tuple[int, Pointer]]] = {}
        for number, slot in enumerate(layout.slots):
            if slot.inside >= 0:
                continue
            to = Pointer() if number in self.nulls else Pointer(buffer=number, offset=self.memory.before[number])
            pointers.setdefault(slot.argument, []).append((slot.at, to))
        return tuple(
            Argument(content=content, pointers=tuple(pointers.get(at, ())))
            for at, content in enumerate(layout.packed(values))
        )


_ROOM: Final = 1 << 12
_MOST_LINKED: Final = 1 << 10
"""Elements of a buffer that hold pointers."""
_DATA: Final = frozenset({Filling.DATA, Filling.FRACTIONS, Filling.SPECIAL})


def with_other_inputs(trial: Trial, execution: Execution) -> tuple[Trial, Trial]:
    """Return a trial with other data, and with other data and indices; what is written begins the same.

    A kernel that reads nothing else is given other data where it writes.
    """
    read = _read(execution)
    data = [at for at in read if trial.memory.contents[at].filling in _DATA]
    roomy = with_room(trial)
    return replace(roomy, reseeded=frozenset(data)), replace(roomy, reseeded=frozenset(read))


def is_telling(trial: Trial, execution: Execution, others: Sequence[Execution]) -> bool:
    """Tell whether what a run wrote depends on what it read, or, where it only reads what it writes, is no constant."""
    written = [at for at, access in enumerate(execution.accesses) if access.written[0] != access.written[1]]
    given = set(_read(execution))
    for other in others:
        if other.outcome is Outcome.DONE and any(_differs(execution, other, at) for at in written if at not in given):
            return True
    if any(access.role == "in" for access in execution.accesses):
        return False
    if any(_changes(trial, execution, others, at) for at in written):
        return True
    return any(not writes_one_value(trial, execution, at) for at in written)


def _read(execution: Execution) -> list[int]:
    roles = [access.role for access in execution.accesses]
    wanted = "in" if "in" in roles else "inout"
    return [at for at, role in enumerate(roles) if role == wanted]


def _changes(trial: Trial, execution: Execution, others: Sequence[Execution], at: int) -> bool:
    """Tell whether a run with other data changes bytes of a buffer to others than this one does."""
    before, after = trial.contents()[at], execution.buffers[at]
    changed = [number for number, byte in enumerate(after) if byte != before[number]]
    return any(
        other.outcome is Outcome.DONE and any(other.buffers[at][number] != after[number] for number in changed)
        for other in others
    )


def _differs(execution: Execution, other: Execution, at: int) -> bool:
    """Tell whether a buffer ended otherwise in a run whose memory may be larger."""
    return other.buffers[at][: len(execution.buffers[at])] != execution.buffers[at]


def with_room(trial: Trial) -> Trial:
    """Return a trial whose buffers are larger than it needs: other indices reach a little further.

    A permutation keeps its length: a longer one would reach as far as it is long.
    """
    memory = trial.memory
    sizes = tuple(
        size if content.filling is Filling.PERMUTATION else 2 * size + _ROOM
        for size, content in zip(memory.sizes, memory.contents, strict=True)
    )
    return replace(trial, memory=replace(memory, sizes=sizes))


def writes_one_value(trial: Trial, execution: Execution, at: int) -> bool:
    """Tell whether all that a run has changed in a buffer holds one number now, or nothing has changed."""
    size = trial.memory.elements[at].code.size
    before, after = trial.contents()[at], execution.buffers[at]
    found: set[bytes] = set()
    for begin in range(0, len(after), size):
        if after[begin : begin + size] != before[begin : begin + size]:
            found.add(after[begin : begin + size])
            if len(found) > 1:
                return False
    return True


def derived(seed: int, number: int) -> int:
    """Return the seed of one of many."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{number}".encode()).digest()[:8], "big")


def first_memory(slots: Sequence[Slot], contents: Sequence[Content], guess: Element) -> Memory:
    """Return memory of which no extent is known; what has no type is taken for `guess`."""
    return Memory(
        contents=tuple(contents),
        elements=tuple(slot.element or guess for slot in slots),
        sizes=(FIRST_BYTES,) * len(slots),
        before=(0,) * len(slots),
    )


def traced(program: Program, layout: Layout, trials: Sequence[Trial]) -> tuple[Execution, ...]:
    """Run trials under the trace, all in one process family."""
    return execute(program, [trial.launch(layout) for trial in trials]) if trials else ()


def fitted(memory: Memory, execution: Execution) -> Memory:
    """Return memory whose sizes are what a run has touched, to whole elements."""
    sizes, before = [], []
    for of, shift, access in zip(memory.elements, memory.before, execution.accesses, strict=False):
        ranges = [each for each in (access.read, access.written) if each[0] != each[1]]
        end = max((each[1] - shift for each in ranges), default=0)
        begin = min((each[0] - shift for each in ranges), default=0)
        sizes.append(_whole(max(end, 0), of.size))
        before.append(_whole(max(-begin, 0), of.size))
    return replace(memory, sizes=tuple(sizes), before=tuple(before))


def _whole(size: int, of: int) -> int:
    return -(-size // of) * of


def too_large(memory: Memory) -> bool:
    """Tell whether a buffer reaches further than any that is meant."""
    return any(size + before > MOST_BYTES for size, before in zip(memory.sizes, memory.before, strict=True))


def unsized(memory: Memory) -> Memory:
    """Return memory with more room than it was found to need."""
    sizes = tuple(max(FIRST_BYTES, 2 * size) for size in memory.sizes)
    return replace(memory, sizes=sizes)


def shortened(memory: Memory, needed: Memory) -> Memory | None:
    """Return memory whose permutations are as long as they are read, where they are longer; what they index is unknown.

    They hold numbers up to their length, so that what they index seems to reach as far.
    """
    permuted = [at for at, content in enumerate(memory.contents) if content.filling is Filling.PERMUTATION]
    if all(needed.sizes[at] >= memory.sizes[at] for at in permuted):
        return None
    sizes = (needed.sizes[at] if at in permuted else min(size, FIRST_BYTES) for at, size in enumerate(memory.sizes))
    return replace(memory, sizes=tuple(sizes))


def extents(execution: Execution) -> tuple[tuple[int, int, int, int], ...]:
    """Return what a run touched, to compare it with another."""
    return tuple((*each.read, *each.written) for each in execution.accesses)


def unit_seed(digest: str, seed: int) -> int:
    """Return the seed that a unit's contents come from."""
    return int.from_bytes(hashlib.sha256(f"{digest}:{seed}".encode()).digest()[:8], "big")


ZEROS: Final = Content(Filling.ZEROS)
