"""Compare the memory that a launch left with golden outputs, element by element."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.model import Case, CaseBuffer
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import ElementType, parse_element_type
from crawler.validate.values.scalar_types import ScalarType, decode

_CHUNK_BYTES: Final = 4096
"""Bytes that are looked at together: only where they differ are their numbers read."""
_POINTER_BYTES: Final = 8
_MISSING_BYTE: Final = b"\xff"
"""What a buffer holds before a launch where nothing is stored of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """The first element of a buffer that is wrong, and how many are."""

    buffer: str
    code: str
    """`wrong-value`, `outside-written`, `input-changed`, `wrong-size`."""
    index: int = 0
    """Of the element."""
    lane: int = 0
    """Within an element of several numbers."""
    expected: str = ""
    actual: str = ""
    wrong_count: int = 1
    element_count: int = 0

    def __str__(self) -> str:
        if self.code == "wrong-size":
            return f"{self.buffer} has {self.actual} bytes where {self.expected} are expected"

        lane = f".{'xyzw'[self.lane]}" if 0 < self.lane < 4 else ""
        reason = {
            "wrong-value": f"{self.wrong_count} of {self.element_count} elements are wrong",
            "outside-written": "the kernel never writes there",
            "input-changed": "it is an input",
        }[self.code]

        return (
            f"{self.buffer}[{self.index}]{lane} is {self.actual} where {self.expected}"
            f" is expected ({reason})"
        )


def find_mismatches(
    case: Case, contents: Sequence[bytes], blobs: Blobs
) -> Iterator[Mismatch]:
    """Yield what is wrong with each buffer that a launch of `case` left; nothing where all is
    right.

    What is written must be its gold within the buffer's tolerance, what is not must be as it
    was.
    """
    for buffer, content in zip(case.buffers, contents, strict=True):
        mismatch = find_mismatch(buffer, content, blobs)
        if mismatch:
            yield mismatch


def find_mismatch(buffer: CaseBuffer, content: bytes, blobs: Blobs) -> Mismatch | None:
    """Return the first wrong element of `content`, the bytes that a launch left in `buffer`.

    What is written and has no gold is different in each run: nothing is expected of it.
    """
    if len(content) != buffer.size:
        return Mismatch(
            buffer=buffer.name,
            code="wrong-size",
            expected=str(buffer.size),
            actual=str(len(content)),
        )

    # its results depend on the order of threads: see `order-dependent-buffer`
    if buffer.role.is_written and not buffer.gold:
        return None

    before = _load_content(buffer, buffer.content, blobs)
    gold = _load_content(buffer, buffer.gold or buffer.content, blobs)
    comparison = _BufferComparison(
        buffer=buffer,
        element=parse_element_type(buffer.element, buffer.element_size),
        before=before,
        gold=gold,
        content=_clear_pointers(buffer, content),
    )

    begin, end = _find_compared_range(buffer)

    # in front of and behind what the kernel writes nothing may change
    for first, last in ((0, begin), (end, buffer.size)):
        mismatch = comparison.find_change(first, last)
        if mismatch:
            return mismatch

    return comparison.find_wrong_value(begin, end)


def find_wrong_scalars(
    scalar: ScalarType,
    gold: bytes,
    content: bytes,
    *,
    absolute: float = 0.0,
    relative: float = 0.0,
) -> Iterator[int]:
    """Yield the number of each scalar of `content` that is not `gold`'s within the tolerance;
    NaN is NaN, and -0 is 0.
    """
    size = scalar.size
    chunk_bytes = _CHUNK_BYTES // size * size

    for begin in range(0, len(gold), chunk_bytes):
        gold_chunk = gold[begin : begin + chunk_bytes]
        chunk = content[begin : begin + chunk_bytes]
        # nearly always: then nothing is decoded
        if gold_chunk == chunk:
            continue

        pairs = zip(decode(scalar, gold_chunk), decode(scalar, chunk), strict=True)

        for number, (expected, actual) in enumerate(pairs, begin // size):
            if expected == actual:
                continue
            if not _is_close(expected, actual, absolute, relative):
                yield number


def is_constant(scalar: ScalarType, content: bytes) -> bool:
    """Tell whether all numbers of an output are one."""
    size = scalar.size
    first = content[:size]

    count, rest = divmod(len(content), size)
    return rest == 0 and content == first * count


def _is_close(expected: float, actual: float, absolute: float, relative: float) -> bool:
    # NaN is unlike itself
    if expected != expected or actual != actual:
        return expected != expected and actual != actual
    if isinstance(expected, float) and (math.isinf(expected) or math.isinf(actual)):
        return False

    # whole numbers of 64 bits are no `float`: without a relative tolerance none is made of them
    tolerance = absolute + (relative * abs(expected) if relative else 0.0)

    return abs(expected - actual) <= tolerance


def _load_content(buffer: CaseBuffer, digest: str, blobs: Blobs) -> bytes:
    content = blobs.get(digest) if digest else b""
    padded = content[: buffer.size].ljust(buffer.size, _MISSING_BYTE)

    return _clear_pointers(buffer, padded)


def _clear_pointers(buffer: CaseBuffer, content: bytes) -> bytes:
    """Return `content` with what it points at left out: addresses are others in each launch."""
    if not buffer.pointers:
        return content

    cleared = bytearray(content)

    for pointer in buffer.pointers:
        end = min(pointer.at + _POINTER_BYTES, buffer.size)
        cleared[pointer.at : end] = bytes(max(0, end - pointer.at))

    return bytes(cleared)


def _find_compared_range(buffer: CaseBuffer) -> tuple[int, int]:
    """Return the range of bytes that is held against the gold."""
    if not buffer.role.is_written:
        return 0, 0

    begin, end = buffer.written
    if begin >= end:
        return 0, buffer.size

    return max(0, begin), min(end, buffer.size)


def _find_difference(before: bytes, after: bytes, begin: int, end: int) -> int:
    """Return the first offset in a range at which two texts differ, -1 where none does."""
    for chunk_begin in range(begin, end, _CHUNK_BYTES):
        chunk_end = min(chunk_begin + _CHUNK_BYTES, end)
        if before[chunk_begin:chunk_end] == after[chunk_begin:chunk_end]:
            continue

        for offset in range(chunk_begin, chunk_end):
            if before[offset] != after[offset]:
                return offset

    return -1


@dataclass(frozen=True, slots=True, kw_only=True)
class _BufferComparison:
    """A buffer of a case, and what a launch left in it."""

    buffer: CaseBuffer
    element: ElementType
    before: bytes
    gold: bytes
    content: bytes

    def find_change(self, begin: int, end: int) -> Mismatch | None:
        """Return what a launch changed in a range of bytes that it does not write."""
        offset = _find_difference(self.before, self.content, begin, end)
        if offset < 0:
            return None

        code = "outside-written" if self.buffer.role.is_written else "input-changed"
        number = offset // self.element.scalar.size

        return self._describe(code, self.element, self.before, number)

    def find_wrong_value(self, begin: int, end: int) -> Mismatch | None:
        """Return the first number in a range of bytes that is not the gold's."""
        size = self.element.scalar.size
        # in whole numbers, where the range ends within one
        first = begin // size * size
        written_end = -(-end // size) * size
        whole_end = len(self.gold) // size * size
        last = min(written_end, whole_end)
        wrong_numbers = find_wrong_scalars(
            self.element.scalar,
            self.gold[first:last],
            self.content[first:last],
            absolute=self.buffer.absolute,
            relative=self.buffer.relative,
        )

        number = next(wrong_numbers, None)

        if number is not None:
            wrong_count = 1 + sum(1 for _ in wrong_numbers)
            return self._describe(
                "wrong-value",
                self.element,
                self.gold,
                number + first // size,
                wrong_count,
                (last - first) // size,
            )

        # bytes behind the last whole number
        offset = _find_difference(self.gold, self.content, max(last, begin), end)
        if offset < 0:
            return None

        byte = parse_element_type("", 1)

        return self._describe("wrong-value", byte, self.gold, offset, 1, end - last)

    def _describe(
        self,
        code: str,
        element: ElementType,
        expected: bytes,
        number: int,
        wrong_count: int = 1,
        element_count: int = 0,
    ) -> Mismatch:
        index, lane = divmod(number, element.lanes)
        return Mismatch(
            buffer=self.buffer.name,
            code=code,
            index=index,
            lane=lane,
            expected=_format_number(element, expected, number),
            actual=_format_number(element, self.content, number),
            wrong_count=wrong_count,
            element_count=element_count,
        )


def _format_number(element: ElementType, content: bytes, number: int) -> str:
    size = element.scalar.size
    raw = content[number * size : (number + 1) * size]
    values = decode(element.scalar, raw)

    return str(values[0]) if values else raw.hex()
