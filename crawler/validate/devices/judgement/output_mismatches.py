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
        # A report may name fewer buffers than the case has.
        span = None
        if index < len(result.buffers):
            span = result.buffers[index]

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
    is_mere_output = buffer.role.is_written and not buffer.content
    if fill == GOLDEN_FILL_BYTE or not is_mere_output:
        return buffer

    initial_content = bytes([fill]) * buffer.size
    initial_digest = blobs.put(initial_content)
    gold = buffer.gold_filled or buffer.gold

    return replace(
        buffer,
        content=initial_digest,
        gold=gold,
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

    stored = blobs.get(buffer.content)
    content = stored[: buffer.size]

    return content.ljust(buffer.size, b"\xff")
