"""Results of an emulated launch: outcome, output buffers, findings and memory accesses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from crawler.validate.emulator.launch import Argument, Dim3, Pointer

_NUMBER: Final = re.compile(r"-?[0-9]{1,20}")
_MADE: Final = re.compile(r"([0-9]{1,3}) ((?:[0-9a-f]{2})+)")
SHARED_MEMORY: Final = -2
"""In place of a buffer's number: shared memory."""


class Outcome(StrEnum):
    """How a launch ended."""

    DONE = "done"
    FAULT = "fault"
    """A finding ended it: a trap, an access outside every buffer, a division by zero…"""
    TIMEOUT = "timeout"
    KILLED = "killed"
    """By a signal from outside, such as for want of memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something wrong, or worth knowing, where it was seen first."""

    kind: str
    """`race`, `out-of-bounds`, `divergent-barrier`…: see `cpu/findings.h`."""
    count: int
    block: Dim3
    thread: Dim3
    line: int = 0
    """Of the unit, or of the header that the unit calls; 0 where it is not known."""
    buffer: int = -1
    """-1 for none, `SHARED` for shared memory."""
    offset: int = 0
    """Bytes from the buffer's begin."""
    value: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferAccess:
    """What a traced launch did to a buffer, in bytes from its begin; an empty range where it
    did nothing.
    """

    read_range: tuple[int, int] = (0, 0)
    written_range: tuple[int, int] = (0, 0)
    read_sizes: tuple[int, ...] = ()
    write_sizes: tuple[int, ...] = ()
    is_atomic: bool = False
    is_input: bool = False
    """Whether some byte was read before it was written: then its content is an input."""
    bytes_read: int = 0
    """That nobody had written before, each once."""
    bytes_written: int = 0
    """Each once."""

    @property
    def role(self) -> str:
        """`in`, `out`, `inout`, or `unused`."""
        writes, reads = self.written_range[0] != self.written_range[1], self.is_input
        return (
            "inout"
            if writes and reads
            else "out"
            if writes
            else "in"
            if reads
            else "unused"
        )

    @property
    def element_size(self) -> int:
        """The size of most of its elements: the smallest that is read or written; 0 where
        nothing was.
        """
        return min((*self.read_sizes, *self.write_sizes), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One launch that was run."""

    outcome: Outcome
    buffers: tuple[bytes, ...] = ()
    findings: tuple[Finding, ...] = ()
    accesses: tuple[BufferAccess, ...] = ()
    """Of each buffer, when the program traces."""
    completed_blocks: int = 0
    counters: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """The counters of each function by the digest of its name, when the program counts."""
    nanoseconds: int = 0
    """Of the processor, for the grid alone."""
    constructed_arguments: tuple[tuple[int, Argument], ...] = ()
    """Parameters of the kernel by number, as their constructors made them."""

    def find_finding(self, kind: str) -> Finding | None:
        """Return the finding of a kind, `None` where there is none."""
        return next((each for each in self.findings if each.kind == kind), None)


def parse_executions(report: str) -> Iterator[Execution]:
    """Yield what a program told of each of its launches; the buffers are not in it.

    A kernel may have written into what its program tells: lines that are none of its own are
    left out.
    """
    current: Execution | None = None
    pointers: list[list[int]] = []
    for line in report.splitlines():
        word, _, rest = line.partition(" ")
        kind, _, numbers = rest.partition(" ") if word == "finding" else ("", "", rest)
        values = _numbers(numbers)
        if word == "run" and len(values) == 5:
            if current:
                yield _with_outcome(current)
            current = _ended(values)
        elif current and word == "finding" and len(values) == 11:
            current = replace(
                current, findings=(*current.findings, _finding(kind, values))
            )
        elif current and word == "counts" and values:
            current = replace(
                current, counters=(*current.counters, (values[0], tuple(values[1:])))
            )
        elif current and word == "made-pointer" and len(values) == 4:
            pointers.append(values)
        elif current and word == "made" and (told_ := _MADE.fullmatch(rest)):
            made = (
                int(told_[1]),
                _argument(
                    told_[2],
                    [each[1:] for each in pointers if each[0] == int(told_[1])],
                ),
            )
            current, pointers = (
                replace(
                    current,
                    constructed_arguments=(*current.constructed_arguments, made),
                ),
                [],
            )
        elif current and word == "extent" and len(values) == 11:
            current = replace(current, accesses=(*current.accesses, _access(values)))
    if current:
        yield _with_outcome(current)


def _argument(digits: str, pointers: list[list[int]]) -> Argument:
    places = (
        (at, Pointer(buffer=buffer, offset=offset)) for at, buffer, offset in pointers
    )
    return Argument(content=bytes.fromhex(digits), pointers=tuple(places))


def _numbers(text: str) -> list[int]:
    words = text.split()
    return (
        [int(word) for word in words]
        if all(_NUMBER.fullmatch(word) for word in words)
        else []
    )


def _ended(values: list[int]) -> Execution:
    signal, _code, finished, blocks, nanoseconds = values
    outcome = Outcome.KILLED if signal else Outcome.DONE if finished else Outcome.FAULT
    return Execution(outcome=outcome, completed_blocks=blocks, nanoseconds=nanoseconds)


def _with_outcome(execution: Execution) -> Execution:
    if execution.find_finding("timeout"):
        return replace(execution, outcome=Outcome.TIMEOUT)
    # what has led it astray may break what tells of it, too
    crashed = execution.outcome is Outcome.KILLED and execution.find_finding("fault")
    return replace(execution, outcome=Outcome.FAULT) if crashed else execution


def _finding(kind: str, values: list[int]) -> Finding:
    times, bx, by, bz, tx, ty, tz, line, buffer, offset, value = values
    return Finding(
        kind=kind,
        count=times,
        block=(bx, by, bz),
        thread=(tx, ty, tz),
        line=line,
        buffer=buffer,
        offset=offset,
        value=value,
    )


def _access(values: list[int]) -> BufferAccess:
    (
        _,
        read_first,
        read_end,
        write_first,
        write_end,
        read_sizes,
        write_sizes,
        atomic,
        exposed,
        *counted,
    ) = values
    return BufferAccess(
        read_range=(read_first, read_end),
        written_range=(write_first, write_end),
        read_sizes=_sizes(read_sizes),
        write_sizes=_sizes(write_sizes),
        is_atomic=bool(atomic),
        is_input=bool(exposed),
        bytes_read=counted[0],
        bytes_written=counted[1],
    )


def _sizes(bits: int) -> tuple[int, ...]:
    return tuple(size for size in (1, 2, 4, 8, 16) if bits & size)
