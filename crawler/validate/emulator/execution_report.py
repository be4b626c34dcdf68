"""Results of an emulated launch: outcome, output buffers, findings and memory accesses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from crawler.validate.emulator.launch import Argument, Dim3, Pointer

# the report that the emulator writes, word by word: a kernel may have written into it
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}")
_CONSTRUCTED: Final = re.compile(r"([0-9]{1,3}) ((?:[0-9a-f]{2})+)")
_RUN_VALUES: Final = 5
_FINDING_VALUES: Final = 11
_POINTER_VALUES: Final = 4
_EXTENT_VALUES: Final = 11
_ACCESS_SIZES: Final = (1, 2, 4, 8, 16)
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
    """-1 for none, `SHARED_MEMORY` for shared memory."""
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
        is_written = self.written_range[0] != self.written_range[1]
        if is_written:
            return "inout" if self.is_input else "out"

        return "in" if self.is_input else "unused"

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
        for finding in self.findings:
            if finding.kind == kind:
                return finding
        return None


def parse_executions(report: str) -> Iterator[Execution]:
    """Yield what a program told of each of its launches; the buffers are not in it.

    A kernel may have written into what its program tells: lines that are none of its own are
    left out.
    """
    reader: _ReportReader | None = None
    # of structures that are told of behind them, whichever launch they are of
    pointers: list[list[int]] = []

    for line in report.splitlines():
        word, _, text = line.partition(" ")
        values = _parse_numbers(text)

        if word == "run" and len(values) == _RUN_VALUES:
            if reader:
                yield reader.finish()

            reader = _ReportReader(values, pointers)
        elif reader:
            reader.read_line(word, text, values)

    if reader:
        yield reader.finish()


class _ReportReader:
    """Collects what a program tells of one launch."""

    def __init__(self, values: list[int], pointers: list[list[int]]) -> None:
        signal, _code, is_finished, blocks, nanoseconds = values
        outcome = Outcome.DONE if is_finished else Outcome.FAULT
        if signal:
            outcome = Outcome.KILLED

        self._outcome = outcome
        self._completed_blocks = blocks
        self._nanoseconds = nanoseconds
        self._findings: list[Finding] = []
        self._accesses: list[BufferAccess] = []
        self._counters: list[tuple[int, tuple[int, ...]]] = []
        self._constructed: list[tuple[int, Argument]] = []
        self._pointers = pointers

    def read_line(self, word: str, text: str, values: list[int]) -> None:
        """Read a line by its first word, of which `values` are the numbers behind it."""
        match word:
            case "finding":
                self._read_finding(text)
            case "counts" if values:
                self._counters.append((values[0], tuple(values[1:])))
            case "made-pointer" if len(values) == _POINTER_VALUES:
                self._pointers.append(values)
            case "made":
                self._read_constructed(text)
            case "extent" if len(values) == _EXTENT_VALUES:
                self._accesses.append(_build_access(values))

    def finish(self) -> Execution:
        """Return the launch."""
        execution = Execution(
            outcome=self._outcome,
            findings=tuple(self._findings),
            accesses=tuple(self._accesses),
            completed_blocks=self._completed_blocks,
            counters=tuple(self._counters),
            nanoseconds=self._nanoseconds,
            constructed_arguments=tuple(self._constructed),
        )

        if execution.find_finding("timeout"):
            return replace(execution, outcome=Outcome.TIMEOUT)
        # what has led it astray may break what tells of it, too
        if self._outcome is Outcome.KILLED and execution.find_finding("fault"):
            return replace(execution, outcome=Outcome.FAULT)

        return execution

    def _read_finding(self, text: str) -> None:
        kind, _, numbers = text.partition(" ")
        values = _parse_numbers(numbers)
        if len(values) == _FINDING_VALUES:
            self._findings.append(_build_finding(kind, values))

    def _read_constructed(self, text: str) -> None:
        match = _CONSTRUCTED.fullmatch(text)
        if match is None:
            return

        parameter = int(match[1])
        pointers = [
            (offset, Pointer(buffer=buffer, offset=target))
            for owner, offset, buffer, target in self._pointers
            if owner == parameter
        ]
        argument = Argument(content=bytes.fromhex(match[2]), pointers=tuple(pointers))
        self._constructed.append((parameter, argument))
        # they are told in front of the structure that they lie in
        self._pointers.clear()


def _parse_numbers(text: str) -> list[int]:
    """Return whole numbers between blanks; none where anything else is among them."""
    words = text.split()
    if not all(_NUMBER.fullmatch(word) for word in words):
        return []

    return [int(word) for word in words]


def _build_finding(kind: str, values: list[int]) -> Finding:
    count, bx, by, bz, tx, ty, tz, line, buffer, offset, value = values
    return Finding(
        kind=kind,
        count=count,
        block=(bx, by, bz),
        thread=(tx, ty, tz),
        line=line,
        buffer=buffer,
        offset=offset,
        value=value,
    )


def _build_access(values: list[int]) -> BufferAccess:
    (
        _buffer,
        read_begin,
        read_end,
        write_begin,
        write_end,
        read_sizes,
        write_sizes,
        is_atomic,
        is_input,
        bytes_read,
        bytes_written,
    ) = values

    return BufferAccess(
        read_range=(read_begin, read_end),
        written_range=(write_begin, write_end),
        read_sizes=_list_sizes(read_sizes),
        write_sizes=_list_sizes(write_sizes),
        is_atomic=bool(is_atomic),
        is_input=bool(is_input),
        bytes_read=bytes_read,
        bytes_written=bytes_written,
    )


def _list_sizes(bits: int) -> tuple[int, ...]:
    """Return the sizes of accesses of which each has the bit of its own value."""
    return tuple(size for size in _ACCESS_SIZES if bits & size)
