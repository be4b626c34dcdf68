"""What a launch left, held against what ought to stand there, whatever its outputs held before."""

from __future__ import annotations

from collections.abc import Iterator

from crawler.model import Case, CaseBuffer
from crawler.validate.blobs import Blobs
from crawler.validate.compare import Mismatch, mismatch
from crawler.validate.devices.told import Repeat, Told
from crawler.validate.elements import stored_element

GOLD_FILL = 0xFF
"""What mere outputs held before the golden run."""


def wrong(case: Case, repeat: Repeat, told: Told, blobs: Blobs) -> Iterator[Mismatch]:
    """Yield what is wrong with each buffer after a launch of `case`."""
    for number, buffer in enumerate(case.buffers):
        place = repeat.buffers[number] if number < len(repeat.buffers) else None
        left = told.bytes_of(place) if place else _before(buffer, repeat.fill, blobs)
        found = mismatch(buffer, as_gold_fills(buffer, left, repeat.fill, blobs), blobs)
        if found:
            yield found


def as_gold_fills(buffer: CaseBuffer, left: bytes, fill: int, blobs: Blobs) -> bytes:
    """Return `left` as if a mere output had held before what it held in the golden run.

    What a kernel does not write keeps the fill: an element that is one fill throughout, where gold is the other.
    """
    if fill == GOLD_FILL or buffer.content or not buffer.role.is_written:
        return left
    size = stored_element(buffer.element, buffer.element_size).code.size
    ours, theirs = bytes([fill]) * size, bytes([GOLD_FILL]) * size
    gold = (blobs.get(buffer.gold) if buffer.gold else b"").ljust(buffer.size, b"\xff")
    changed = bytearray(left)
    for at in _elements(left, ours):
        if gold[at : at + size] == theirs:
            changed[at : at + size] = theirs
    for at in range(len(left) // size * size, len(left)):
        if left[at] == fill and gold[at] == GOLD_FILL:
            changed[at] = GOLD_FILL
    return bytes(changed)


def _elements(content: bytes, element: bytes) -> Iterator[int]:
    """Yield where whole elements of `content` are `element`."""
    size, at = len(element), content.find(element)
    while at >= 0:
        if at % size == 0:
            yield at
        at = content.find(element, at + (size if at % size == 0 else 1))


def _before(buffer: CaseBuffer, fill: int, blobs: Blobs) -> bytes:
    if buffer.content:
        return blobs.get(buffer.content)[: buffer.size].ljust(buffer.size, b"\xff")
    return bytes([fill]) * buffer.size
