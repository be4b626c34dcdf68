"""When a host function's outputs are those of a kernel."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

import pytest

from crawler.model import BufferRole, Case, CaseBuffer, CaseKind
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.host_functions.output_agreement import outputs_agree
from crawler.validate.values.blobs import Blobs


def pack(values: Sequence[float]) -> bytes:
    return struct.pack(f"{len(values)}f", *values)


def compare(
    gold: Sequence[float],
    actual: Sequence[float],
    *,
    outcome: Outcome = Outcome.DONE,
    absolute: float = 0.0,
    initial: Sequence[float] = (),
) -> bool | None:
    blobs = Blobs()
    buffer = CaseBuffer(
        name="out",
        element="float",
        element_size=4,
        size=4 * len(gold),
        role=BufferRole.INOUT if initial else BufferRole.OUT,
        content=blobs.put(pack(initial)) if initial else "",
        gold=blobs.put(pack(gold)),
        absolute=absolute,
    )
    case = Case(
        name="case-0",
        kind=CaseKind.ORDINARY,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        arguments=(),
        buffers=(buffer,),
    )
    execution = Execution(outcome=outcome, buffers=(pack(actual),))
    return outputs_agree(case, execution, blobs)


UNTOUCHED = struct.unpack("f", b"\xff" * 4)[0]


def test_equal_outputs_agree() -> None:
    assert compare([1.0, -2.5], [1.0, -2.5]) is True


def test_rounding_is_measured_by_the_largest_output() -> None:
    assert compare([1000.0, 1.0], [1000.05, 1.05]) is True
    assert compare([1000.0, 1.0], [1000.0, 1.2]) is False
    assert compare([1.0], [1.2]) is False
    assert compare([1.0], [1.2], absolute=0.25) is True


@pytest.mark.parametrize(
    ("gold", "actual", "agrees"),
    [
        (math.nan, math.nan, True),
        (math.nan, 0.0, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
        (0.0, math.inf, False),
    ],
)
def test_values_that_are_not_finite_have_to_be_the_same(
    gold: float, actual: float, agrees: bool
) -> None:
    assert compare([gold, 1.0], [actual, 1.0]) is agrees


def test_a_function_that_writes_half_of_the_outputs_may_speak() -> None:
    assert compare([1.0, 2.0], [1.0, UNTOUCHED]) is True
    assert compare([1.0, 2.0, 3.0], [1.0, UNTOUCHED, UNTOUCHED]) is None
    assert compare([1.0, 2.0], [UNTOUCHED, UNTOUCHED]) is None
    assert compare([1.0, 2.0, 3.0], [9.0, UNTOUCHED, UNTOUCHED]) is False


def test_what_stood_there_before_is_not_what_a_function_gives() -> None:
    assert compare([5.0, 6.0], [1.0, 2.0], initial=[1.0, 2.0]) is None
    assert compare([5.0, 6.0], [5.0, 2.0], initial=[1.0, 2.0]) is True


@pytest.mark.parametrize(
    "outcome", [value for value in Outcome if value is not Outcome.DONE]
)
def test_a_function_that_does_not_end_says_nothing(outcome: Outcome) -> None:
    assert compare([1.0], [1.0], outcome=outcome) is None
