"""Compare what a launch left in its buffers with the golden outputs.

Each case is launched with different fills of its outputs, so that a write that is missing does
not pass for one.
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
    for index, buffer in enumerate(case.buffers):
        span = result.buffers[index] if index < len(result.buffers) else None
        content = _find_content(buffer, span, result.fill, report, blobs)
        expected = expected_buffer(buffer, result.fill, blobs)
        mismatch = find_mismatch(expected, content, blobs)
        if mismatch:
            yield mismatch


def expected_buffer(buffer: CaseBuffer, fill: int, blobs: Blobs) -> CaseBuffer:
    """Return what is expected of a buffer; a mere output held `fill` throughout before.

    What the kernel leaves alone keeps the fill, and what it writes does not: so no golden
    output hides a missing write.
    """
    if fill == GOLDEN_FILL_BYTE or buffer.content or not buffer.role.is_written:
        return buffer

    initial_digest = blobs.put(bytes([fill]) * buffer.size)
    return replace(
        buffer, content=initial_digest, gold=buffer.gold_filled or buffer.gold
    )


def _find_content(
    buffer: CaseBuffer,
    span: tuple[int, int] | None,
    fill: int,
    report: RunnerReport,
    blobs: Blobs,
) -> bytes:
    """Return what a launch left in a buffer: as before, where the report has no output."""
    if span:
        return report.read_output(span)

    return _initial_content(buffer, fill, blobs)


def _initial_content(buffer: CaseBuffer, fill: int, blobs: Blobs) -> bytes:
    if not buffer.content:
        return bytes([fill]) * buffer.size

    content = blobs.get(buffer.content)[: buffer.size]
    return content.ljust(buffer.size, b"\xff")
