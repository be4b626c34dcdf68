"""What a launch left, held against what ought to stand there, whatever its outputs held before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from crawler.model import Case, CaseBuffer
from crawler.validate.blobs import Blobs
from crawler.validate.compare import Mismatch, mismatch
from crawler.validate.devices.told import Repeat, Told

GOLD_FILL: Final = 0xFF
"""What mere outputs held before the golden run."""


def wrong(case: Case, repeat: Repeat, told: Told, blobs: Blobs) -> Iterator[Mismatch]:
    """Yield what is wrong with each buffer after a launch of `case`."""
    for number, buffer in enumerate(case.buffers):
        place = repeat.buffers[number] if number < len(repeat.buffers) else None
        left = told.bytes_of(place) if place else _before(buffer, repeat.fill, blobs)
        found = mismatch(as_filled(buffer, repeat.fill, blobs), left, blobs)
        if found:
            yield found


def as_filled(buffer: CaseBuffer, fill: int, blobs: Blobs) -> CaseBuffer:
    """Return what is expected of a buffer that, if it is a mere output, held `fill` throughout before the launch.

    What the kernel leaves alone keeps the fill, and what it writes does not: so no golden output hides a missing write.
    """
    if fill == GOLD_FILL or buffer.content or not buffer.role.is_written:
        return buffer
    before = blobs.put(bytes([fill]) * buffer.size)
    return replace(buffer, content=before, gold=buffer.gold_filled or buffer.gold)


def _before(buffer: CaseBuffer, fill: int, blobs: Blobs) -> bytes:
    if buffer.content:
        return blobs.get(buffer.content)[: buffer.size].ljust(buffer.size, b"\xff")
    return bytes([fill]) * buffer.size
