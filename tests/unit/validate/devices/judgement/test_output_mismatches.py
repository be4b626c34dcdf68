"""What a device left in its buffers is held against the golden outputs, with each fill that the
outputs had before.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.model import BufferRole, Case, CaseBuffer, CaseKind
from crawler.validate.devices.judgement.output_mismatches import (
    GOLDEN_FILL_BYTE,
    expected_buffer,
    find_buffer_mismatches,
)
from crawler.validate.devices.runner_io.report import LaunchResult, RunnerReport
from crawler.validate.runner.session import OUTPUTS_FILE
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.scalar_types import ScalarType, encode

INPUT = encode(ScalarType.I32, [1, 2, 3, 4])
GOLD = encode(ScalarType.I32, [10, 20, -1, 40])
OTHER_FILL = 0x5A


def make_case(blobs: Blobs, **changes: object) -> Case:
    """Return a case that reads one buffer and writes another, the third number of which is -1:
    0xFF throughout, as the memory was before.
    """
    read = CaseBuffer(
        name="in",
        element="int",
        element_size=4,
        size=16,
        role=BufferRole.IN,
        content=blobs.put(INPUT),
    )
    written = CaseBuffer(
        name="out",
        element="int",
        element_size=4,
        size=16,
        role=BufferRole.OUT,
        gold=blobs.put(GOLD),
        written=(0, 16),
    )
    return Case(
        name="ordinary",
        kind=CaseKind.ORDINARY,
        grid=(1, 1, 1),
        block=(4, 1, 1),
        buffers=(read, replace(written, **changes)),  # type: ignore[arg-type]
    )


def make_report(outputs: bytes) -> RunnerReport:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / OUTPUTS_FILE).write_bytes(outputs)
        return RunnerReport(Path(folder))


def judge(
    case: Case,
    blobs: Blobs,
    out: bytes,
    *,
    fill: int = GOLDEN_FILL_BYTE,
    changed_input: bytes = b"",
) -> list[tuple[str, str, int]]:
    """Return the mismatches of a launch that left `out`; inputs that did not change have no
    output in a report.
    """
    outputs = changed_input + out
    first = (0, len(changed_input)) if changed_input else None
    second = (len(changed_input), len(outputs))
    report = make_report(outputs)
    result = LaunchResult(fill=fill, buffers=(first, second))
    return [
        (mismatch.buffer, mismatch.code, mismatch.index)
        for mismatch in find_buffer_mismatches(case, result, report, blobs)
    ]


def test_what_ought_to_come_out_is_no_mismatch() -> None:
    blobs = Blobs()
    assert judge(make_case(blobs), blobs, GOLD) == []


def test_a_wrong_number_is_named_by_its_place() -> None:
    blobs = Blobs()
    wrong = encode(ScalarType.I32, [10, 21, -1, 40])
    assert judge(make_case(blobs), blobs, wrong) == [("out", "wrong-value", 1)]


def test_an_input_that_changed_is_a_mismatch() -> None:
    blobs = Blobs()
    changed = encode(ScalarType.I32, [1, 2, 9, 4])
    assert judge(make_case(blobs), blobs, GOLD, changed_input=changed) == [
        ("in", "input-changed", 2)
    ]


def test_a_write_that_is_missing_is_seen_by_another_fill() -> None:
    blobs = Blobs()
    case = make_case(blobs)
    # nobody wrote the third number: with the golden fill it looks right
    left_alone = GOLD[:8] + bytes([OTHER_FILL]) * 4 + GOLD[12:]
    assert judge(case, blobs, GOLD) == []
    assert judge(case, blobs, left_alone, fill=OTHER_FILL) == [
        ("out", "wrong-value", 2)
    ]


def test_what_a_kernel_leaves_alone_keeps_whatever_it_was_filled_with() -> None:
    blobs = Blobs()
    filled = GOLD[:8] + bytes([OTHER_FILL]) * 4 + GOLD[12:]
    case = make_case(blobs, gold_filled=blobs.put(filled))
    assert judge(case, blobs, filled, fill=OTHER_FILL) == []
    assert judge(case, blobs, GOLD, fill=OTHER_FILL) == [("out", "wrong-value", 2)]
    assert judge(case, blobs, GOLD) == []


def test_a_report_of_fewer_buffers_is_not_believed_to_be_right() -> None:
    blobs = Blobs()
    report = make_report(b"")
    result = LaunchResult(fill=GOLDEN_FILL_BYTE, buffers=())
    mismatches = list(find_buffer_mismatches(make_case(blobs), result, report, blobs))
    assert [mismatch.buffer for mismatch in mismatches] == ["out"]


@pytest.mark.parametrize("size", [0, 4, 12, 20])
def test_an_output_of_another_size_is_a_mismatch(size: int) -> None:
    blobs = Blobs()
    case = make_case(blobs)
    out = GOLD.ljust(size, b"\0")[:size]
    # an output of no bytes is one that the report does not have
    assert judge(case, blobs, out) != []


@given(st.binary(min_size=16, max_size=16), st.integers(0, 255))
def test_only_the_golden_bytes_are_right(out: bytes, fill: int) -> None:
    blobs = Blobs()
    assert (judge(make_case(blobs), blobs, out, fill=fill) == []) == (out == GOLD)


@given(st.integers(0, 255))
def test_a_fill_changes_what_is_expected_of_mere_outputs_alone(fill: int) -> None:
    blobs = Blobs()
    read, written = make_case(blobs).buffers
    both = replace(written, role=BufferRole.INOUT, content=blobs.put(INPUT))
    assert expected_buffer(read, fill, blobs) == read
    assert expected_buffer(both, fill, blobs) == both
    expected = expected_buffer(written, fill, blobs)
    if fill == GOLDEN_FILL_BYTE:
        assert expected == written
    else:
        assert blobs.get(expected.content) == bytes([fill]) * 16
