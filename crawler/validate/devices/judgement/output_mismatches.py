"""Compare what a launch left in its buffers with the golden outputs, whatever the outputs were
filled with before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from crawler.model import Case, CaseBuffer
from crawler.validate.devices.runner_io.report import LaunchResult, RunnerReport
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.comparison import Mismatch, find_mismatch

GOLDEN_FILL_BYTE: Final = 0xFF
"""What mere outputs held before the golden run."""


def find_buffer_mismatches(
    case: Case, result: LaunchResult, report: RunnerReport, blobs: Blobs
) -> Iterator[Mismatch]:
    """Yield what is wrong with each buffer after a launch of `case`."""
    for number, buffer in enumerate(case.buffers):
        place = result.buffers[number] if number < len(result.buffers) else None
        left = (
            report.read_output(place) if place else _before(buffer, result.fill, blobs)
        )
        found = find_mismatch(expected_buffer(buffer, result.fill, blobs), left, blobs)
        if found:
            yield found


def expected_buffer(buffer: CaseBuffer, fill: int, blobs: Blobs) -> CaseBuffer:
    """Return what is expected of a buffer that, if it is a mere output, held `fill` throughout
    before the launch.

    What the kernel leaves alone keeps the fill, and what it writes does not: so no golden
    output hides a missing write.
    """
    if fill == GOLDEN_FILL_BYTE or buffer.content or not buffer.role.is_written:
        return buffer
    before = blobs.put(bytes([fill]) * buffer.size)
    return replace(buffer, content=before, gold=buffer.gold_filled or buffer.gold)


def _before(buffer: CaseBuffer, fill: int, blobs: Blobs) -> bytes:
    if buffer.content:
        return blobs.get(buffer.content)[: buffer.size].ljust(buffer.size, b"\xff")
    return bytes([fill]) * buffer.size
