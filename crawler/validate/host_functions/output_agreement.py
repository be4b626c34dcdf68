"""Compare a case's golden outputs with what a host function has left in the same buffers."""

from __future__ import annotations

import math
from typing import Final

from crawler.model import Case, CaseBuffer
from crawler.validate.emulator.execution import Execution, Outcome
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
    scalar = parse_element_type(buffer.element, buffer.element_size).scalar
    width = scalar.size
    size = len(content) // width * width
    output = content[:size]
    gold = blobs.get(buffer.gold)[:size]
    initial = blobs.get(buffer.content)[:size] if buffer.content else b""
    initial = initial.ljust(size, _UNWRITTEN)

    tolerance = _largest_magnitude(scalar, gold) * RELATIVE_TOLERANCES.get(scalar, 0.0)
    tolerance += buffer.absolute
    compared_count = changed_count = 0
    values = zip(decode(scalar, gold), decode(scalar, output), strict=True)
    for number, (expected, actual) in enumerate(values):
        place = slice(number * width, (number + 1) * width)
        changed_count += gold[place] != initial[place]
        # A host function may have less to do, where sizes that belong together were drawn alone.
        if output[place] == initial[place]:
            continue

        compared_count += 1
        if expected != actual and not _is_close(expected, actual, tolerance):
            return False

    return True if compared_count and 2 * compared_count >= changed_count else None


def _is_close(expected: float, actual: float, tolerance: float) -> bool:
    if math.isnan(expected) or math.isnan(actual):
        return math.isnan(expected) and math.isnan(actual)
    if math.isinf(expected) or math.isinf(actual):
        return False
    return abs(expected - actual) <= tolerance


def _largest_magnitude(scalar: ScalarType, content: bytes) -> float:
    finite_values = filter(math.isfinite, decode(scalar, content))
    return max(map(abs, finite_values), default=0.0)
