"""Read the launches that a program's runtime recorded: see `program/record.h`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from crawler.validate.recordings.recorded_launch import (
    RecordedBuffer,
    RecordedLaunch,
    RecordedParameter,
    RecordedPointer,
    pack_content,
)

_MAX_LAUNCHES: Final = 10_000
_MAX_KEPT_BYTES: Final = 64 << 20
"""Of a file: the runtime of ours writes less, and a program may write what it likes."""
_MAX_LINE_BYTES: Final = 8192
_MAX_DIGITS: Final = 20
_MAX_NUMBER: Final = 1 << 63
_MAX_PARAMETERS: Final = 256
_MAX_BUFFERS: Final = 48
_MAX_PLACES: Final = 8192
_MAX_BUFFER_BYTES: Final = 4 << 20
_MAX_PARAMETER_BYTES: Final = 1 << 16
_RECORD_VALUES: Final = 11
_POINTER_BYTES: Final = 8
_PLACE_VALUES: Final = 4
_BUFFER_VALUES: Final = 2
_TYPE_WORDS: Final = 7
"""Of a parameter, the name of its type and all behind it the last one."""


class _Damaged(Exception):
    """What is no record, or not all of one."""


def read_record_file(file: Path) -> Iterator[RecordedLaunch]:
    """Yield the launches of the file that a program left; none where there is no such file."""
    # a program may have put a link in its place
    if file.is_file() and not file.is_symlink():
        yield from iter_recorded_launches(file.read_bytes())


def iter_recorded_launches(content: bytes) -> Iterator[RecordedLaunch]:
    """Yield the launches of a file.

    Its program may have ended while it was written, or have written nonsense there: the first
    record that is none is the last one that is looked at. Those beyond what is kept of a file are
    left out.
    """
    cursor = _Cursor(content)
    kept_bytes = 0
    for _ in range(_MAX_LAUNCHES):
        if cursor.is_at_end:
            return
        try:
            launch = _read_launch(cursor)
        except _Damaged:
            return
        kept_bytes += launch.kept_bytes
        if kept_bytes > _MAX_KEPT_BYTES:
            return
        yield launch


class _Cursor:
    """A place in a file."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._position = 0

    @property
    def is_at_end(self) -> bool:
        return self._position >= len(self._content)

    def read_line(self) -> str:
        begin = self._position
        end = self._content.find(b"\n", begin, begin + _MAX_LINE_BYTES)
        if end < 0:
            raise _Damaged
        self._position = end + 1
        return self._content[begin:end].decode("utf-8", "replace")

    def read_bytes(self, count: int) -> bytes:
        end = self._position + count
        if end > len(self._content):
            raise _Damaged
        content = self._content[self._position : end]
        self._position = end
        return content


def _read_launch(cursor: _Cursor) -> RecordedLaunch:
    word, _, rest = cursor.read_line().partition(" ")
    # its kernel and its test may be none
    numbers = _to_numbers(rest.split(), _RECORD_VALUES, lowest=-1)
    if word != "record" or min(numbers[0], *numbers[3:]) < 0:
        raise _Damaged

    word, _, arguments = cursor.read_line().partition(" ")
    if word != "arguments":
        raise _Damaged

    parts = _read_parts(cursor)
    return RecordedLaunch(
        number=numbers[0],
        kernel=numbers[1],
        test=numbers[2],
        grid=(numbers[3], numbers[4], numbers[5]),
        block=(numbers[6], numbers[7], numbers[8]),
        shared_bytes=numbers[9],
        seconds=numbers[10] * 1e-9,
        arguments=arguments,
        parameters=tuple(parts.parameters),
        pointers=_select_places(parts.pointers, parts.parameters, parts.buffers),
        links=_select_places(parts.links, parts.buffers, parts.buffers),
        buffers=tuple(parts.buffers),
    )


class _Parts:
    """What the lines of a record name."""

    def __init__(self) -> None:
        self.parameters: list[RecordedParameter] = []
        self.pointers: list[RecordedPointer] = []
        self.links: list[RecordedPointer] = []
        self.buffers: list[RecordedBuffer] = []


def _read_parts(cursor: _Cursor) -> _Parts:
    parts = _Parts()
    while True:
        line = cursor.read_line()
        word, _, rest = line.partition(" ")
        if word == "done":
            return parts
        if word == "parameter" and len(parts.parameters) < _MAX_PARAMETERS:
            parts.parameters.append(_read_parameter(cursor, rest))
        elif word in ("pointer", "link"):
            places = parts.pointers if word == "pointer" else parts.links
            places.append(_parse_place(rest, len(places)))
        elif word == "buffer" and len(parts.buffers) < _MAX_BUFFERS:
            parts.buffers.append(_read_buffer(cursor, rest))
        else:
            raise _Damaged


def _read_parameter(cursor: _Cursor, description: str) -> RecordedParameter:
    words = description.split(" ", _TYPE_WORDS - 1)
    # what begins another line where it is split would be another parameter
    if len(words) != _TYPE_WORDS or not description.isprintable():
        raise _Damaged
    (size,) = _to_numbers(words[1:2], 1)
    if not 0 <= size <= _MAX_PARAMETER_BYTES:
        raise _Damaged

    content = cursor.read_bytes(size)
    cursor.read_line()
    return RecordedParameter(description=description, content=content)


def _parse_place(text: str, known_count: int) -> RecordedPointer:
    # only the offset may be negative
    owner, position, buffer, offset = _to_numbers(
        text.split(), _PLACE_VALUES, lowest=1 - _MAX_NUMBER
    )
    if known_count >= _MAX_PLACES or min(owner, position, buffer) < 0:
        raise _Damaged
    return RecordedPointer(owner=owner, at=position, buffer=buffer, offset=offset)


def _read_buffer(cursor: _Cursor, text: str) -> RecordedBuffer:
    size, is_changed = _to_numbers(text.split(), _BUFFER_VALUES)
    if not 0 < size <= _MAX_BUFFER_BYTES:
        raise _Damaged

    before = pack_content(cursor.read_bytes(size))
    after = pack_content(cursor.read_bytes(size)) if is_changed else b""
    return RecordedBuffer(size=size, before=before, after=after)


def _select_places(
    places: list[RecordedPointer],
    owners: list[RecordedParameter] | list[RecordedBuffer],
    buffers: list[RecordedBuffer],
) -> tuple[RecordedPointer, ...]:
    """Return the pointers that lie whole in an owner that there is, and whose buffer there is."""
    return tuple(
        place
        for place in places
        if place.owner < len(owners)
        and place.buffer < len(buffers)
        and place.at + _POINTER_BYTES <= owners[place.owner].size
    )


def _to_numbers(words: list[str], count: int, *, lowest: int = 0) -> list[int]:
    if len(words) != count:
        raise _Damaged
    for word in words:
        digits = word.removeprefix("-")
        is_number = digits.isascii() and digits.isdigit()
        if not is_number or len(digits) > _MAX_DIGITS:
            raise _Damaged

    numbers = [int(word) for word in words]
    if not all(lowest <= number < _MAX_NUMBER for number in numbers):
        raise _Damaged
    return numbers
