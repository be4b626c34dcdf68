"""Compare a case's golden outputs with what a host function has left in the same buffers."""

from __future__ import annotations

import math
from typing import Final

from crawler.model import Case, CaseBuffer
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type
from crawler.validate.values.scalar_types import ScalarType, decode

RELATIVE_TOLERANCES: Final = {
    ScalarType.FLOAT: 1e-4,
    ScalarType.DOUBLE: 1e-9,
    ScalarType.HALF: 1e-2,
    ScalarType.BFLOAT16: 5e-2,
}
"""Of an output's largest magnitude: another order of the same sum differs by as much."""

# Untouched output memory, as the emulator hands it to a kernel.
_UNWRITTEN: Final = b"\xff"


def outputs_agree(case: Case, execution: Execution, blobs: Blobs) -> bool | None:
    """Tell whether all outputs of a case agree.

    `None` where the function did not end, or wrote little of what the kernel wrote.
    """
    if execution.outcome is not Outcome.DONE:
        return None

    verdicts = []
    for buffer, content in zip(case.buffers, execution.buffers, strict=True):
        if buffer.role.is_written and buffer.gold:
            verdicts.append(_buffer_agrees(buffer, content, blobs))

    if False in verdicts:
        return False

    return True if True in verdicts else None


def _buffer_agrees(buffer: CaseBuffer, content: bytes, blobs: Blobs) -> bool | None:
    element_type = parse_element_type(buffer.element, buffer.element_size)
    scalar = element_type.scalar
    width = scalar.size
    element_count = len(content) // width
    size = element_count * width

    output = content[:size]
    gold = blobs.get(buffer.gold)[:size]
    initial = _initial_content(buffer, size, blobs)

    relative_tolerance = RELATIVE_TOLERANCES.get(scalar, 0.0)
    tolerance = _largest_magnitude(scalar, gold) * relative_tolerance
    tolerance += buffer.absolute

    compared_count = 0
    changed_count = 0
    expected_values = decode(scalar, gold)
    actual_values = decode(scalar, output)
    places = range(0, size, width)

    for begin, expected, actual in zip(
        places, expected_values, actual_values, strict=True
    ):
        end = begin + width
        initial_bytes = initial[begin:end]
        if gold[begin:end] != initial_bytes:
            changed_count += 1

        # A host function may have less to do, where sizes that belong together were drawn alone.
        if output[begin:end] == initial_bytes:
            continue

        compared_count += 1
        if expected != actual and not _is_close(expected, actual, tolerance):
            return False

    has_written_enough = 2 * compared_count >= changed_count
    if compared_count and has_written_enough:
        return True

    return None


def _initial_content(buffer: CaseBuffer, size: int, blobs: Blobs) -> bytes:
    """Return the first bytes of what a buffer held before the launch."""
    content = b""
    if buffer.content:
        content = blobs.get(buffer.content)

    return content[:size].ljust(size, _UNWRITTEN)


def _is_close(expected: float, actual: float, tolerance: float) -> bool:
    is_expected_nan = math.isnan(expected)
    is_actual_nan = math.isnan(actual)
    if is_expected_nan or is_actual_nan:
        return is_expected_nan and is_actual_nan

    # Infinities of one sign are equal, and never get here.
    if math.isinf(expected) or math.isinf(actual):
        return False

    difference = abs(expected - actual)

    return difference <= tolerance


def _largest_magnitude(scalar: ScalarType, content: bytes) -> float:
    values = decode(scalar, content)
    finite_values = filter(math.isfinite, values)
    magnitudes = map(abs, finite_values)

    return max(magnitudes, default=0.0)
