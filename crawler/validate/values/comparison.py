"""Compare the memory that a launch left with golden outputs, element by element."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.model import Case, CaseBuffer
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import ElementType, parse_element_type
from crawler.validate.values.scalar_types import ScalarType, decode

_STEP: Final = 4096
"""Bytes that are looked at together: only where they differ are their numbers read."""


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
        about = {
            "wrong-value": f"{self.wrong_count} of {self.element_count} elements are wrong",
            "outside-written": "the kernel never writes there",
            "input-changed": "it is an input",
        }[self.code]
        return f"{self.buffer}[{self.index}]{lane} is {self.actual} where {self.expected} is expected ({about})"


def find_mismatches(
    case: Case, contents: Sequence[bytes], blobs: Blobs
) -> Iterator[Mismatch]:
    """Yield what is wrong with each buffer that a launch of `case` left; nothing where all is
    right.

    What is written must be its gold within the buffer's tolerance, what is not must be as it
    was.
    """
    for buffer, left in zip(case.buffers, contents, strict=True):
        found = find_mismatch(buffer, left, blobs)
        if found:
            yield found


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
    if buffer.role.is_written and not buffer.gold:
        return None
    before, gold = (
        _stored(buffer, buffer.content, blobs),
        _stored(buffer, buffer.gold or buffer.content, blobs),
    )
    left = _without_pointers(buffer, content)
    begin, end = _written(buffer)
    kind = parse_element_type(buffer.element, buffer.element_size)
    for first, last in ((0, begin), (end, buffer.size)):
        changed = _first_difference(before, left, first, last)
        if changed >= 0:
            return _changed(buffer, kind, before, left, changed)
    return _wrong_value(buffer, kind, gold, left, begin, end)


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
    step = _STEP // size * size
    for at in range(0, len(gold), step):
        expected, found = gold[at : at + step], content[at : at + step]
        if expected == found:
            continue
        pairs = zip(decode(scalar, expected), decode(scalar, found), strict=True)
        for number, (want, have) in enumerate(pairs, at // size):
            if want != have and not _is_close(want, have, absolute, relative):
                yield number


def _is_close(want: float, have: float, absolute: float, relative: float) -> bool:
    if want != want or have != have:  # NaN
        return want != want and have != have
    if isinstance(want, float) and (math.isinf(want) or math.isinf(have)):
        return False
    return abs(want - have) <= absolute + (relative * abs(want) if relative else 0.0)


def _stored(buffer: CaseBuffer, digest: str, blobs: Blobs) -> bytes:
    content = blobs.get(digest) if digest else b""
    return _without_pointers(buffer, content[: buffer.size].ljust(buffer.size, b"\xff"))


def _written(buffer: CaseBuffer) -> tuple[int, int]:
    """Return the range that is held against the gold, in whole elements where it ends within
    one.
    """
    if not buffer.role.is_written:
        return 0, 0
    begin, end = buffer.written
    if begin >= end:
        return 0, buffer.size
    return max(0, begin), min(end, buffer.size)


def _without_pointers(buffer: CaseBuffer, raw: bytes) -> bytes:
    """Return `raw` with what it points at left out: addresses are others in each launch."""
    if not buffer.pointers:
        return raw
    left = bytearray(raw)
    for pointer in buffer.pointers:
        end = min(pointer.at + 8, buffer.size)
        left[pointer.at : end] = bytes(max(0, end - pointer.at))
    return bytes(left)


def _first_difference(before: bytes, after: bytes, begin: int, end: int) -> int:
    """Return the first place in a range at which two texts differ, -1 where none does."""
    for at in range(begin, end, _STEP):
        last = min(at + _STEP, end)
        if before[at:last] != after[at:last]:
            return next(
                place for place in range(at, last) if before[place] != after[place]
            )
    return -1


def _changed(
    buffer: CaseBuffer, kind: ElementType, before: bytes, left: bytes, place: int
) -> Mismatch:
    code = "outside-written" if buffer.role.is_written else "input-changed"
    number = place // kind.scalar.size
    return _told(buffer, kind, code, before, left, number, 1)


def _wrong_value(
    buffer: CaseBuffer,
    kind: ElementType,
    gold: bytes,
    left: bytes,
    begin: int,
    end: int,
) -> Mismatch | None:
    size = kind.scalar.size
    first, last = (
        begin // size * size,
        min(-(-end // size) * size, len(gold) // size * size),
    )
    wrong = find_wrong_scalars(
        kind.scalar,
        gold[first:last],
        left[first:last],
        absolute=buffer.absolute,
        relative=buffer.relative,
    )
    number = next(wrong, None)
    if number is not None:
        others = 1 + sum(1 for _ in wrong)
        return _told(
            buffer,
            kind,
            "wrong-value",
            gold,
            left,
            number + first // size,
            others,
            (last - first) // size,
        )
    ragged = _first_difference(gold, left, max(last, begin), end)
    return (
        None
        if ragged < 0
        else _told(
            buffer,
            parse_element_type("", 1),
            "wrong-value",
            gold,
            left,
            ragged,
            1,
            end - last,
        )
    )


def _told(
    buffer: CaseBuffer,
    kind: ElementType,
    code: str,
    gold: bytes,
    left: bytes,
    number: int,
    wrong: int,
    of: int = 0,
) -> Mismatch:
    size = kind.scalar.size
    index, lane = divmod(number, kind.lanes)
    return Mismatch(
        buffer=buffer.name,
        code=code,
        index=index,
        lane=lane,
        expected=_text(kind, gold[number * size : (number + 1) * size]),
        actual=_text(kind, left[number * size : (number + 1) * size]),
        wrong_count=wrong,
        element_count=of,
    )


def _text(kind: ElementType, raw: bytes) -> str:
    values = decode(kind.scalar, raw)
    return str(values[0]) if values else raw.hex()


@dataclass(frozen=True, slots=True)
class Deviation:
    """The largest differences between outputs that ought to be one; infinite where they are no
    neighbours.
    """

    absolute: float = 0.0
    relative: float = 0.0
    """Of the largest magnitude that the output has."""

    def combined(self, other: Deviation) -> Deviation:
        """Return what holds both."""
        return Deviation(
            max(self.absolute, other.absolute), max(self.relative, other.relative)
        )

    @property
    def is_zero(self) -> bool:
        """Tell whether every bit is the same."""
        return self.absolute == 0.0


def measure_deviation(scalar: ScalarType, gold: bytes, other: bytes) -> Deviation:
    """Return how far `other` lies from `gold`."""
    if gold == other:
        return Deviation()
    if len(gold) != len(other) or not scalar.is_real:
        return Deviation(math.inf, math.inf)
    wanted, given = decode(scalar, gold), decode(scalar, other)
    largest = _largest(wanted)
    apart = max(
        (_apart(a, b) for a, b in zip(wanted, given, strict=True) if a != b),
        default=0.0,
    )
    return Deviation(apart, apart / largest if largest else math.inf if apart else 0.0)


def measure_close_deviation(
    scalar: ScalarType, gold: bytes, other: bytes, max_relative: float
) -> Deviation:
    """Return how far those numbers of `other` lie from `gold` that are within `max_relative` of
    its largest magnitude.
    """
    if gold == other or len(gold) != len(other) or not scalar.is_real:
        return Deviation()
    wanted, given = decode(scalar, gold), decode(scalar, other)
    largest = _largest(wanted)
    found = (_apart(a, b) for a, b in zip(wanted, given, strict=True) if a != b)
    apart = max((each for each in found if each <= max_relative * largest), default=0.0)
    return Deviation(apart, apart / largest if largest else 0.0)


def _apart(a: float, b: float) -> float:
    if a != a and b != b:
        return 0.0
    if not math.isfinite(a) or not math.isfinite(b):
        return math.inf
    return abs(a - b)


def _largest(values: Iterable[float]) -> float:
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def is_constant(scalar: ScalarType, content: bytes) -> bool:
    """Tell whether all numbers of an output are one."""
    size = scalar.size
    first = content[:size]
    return content == first * (len(content) // size) and len(content) % size == 0
