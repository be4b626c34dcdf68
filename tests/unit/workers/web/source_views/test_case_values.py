"""What a case passes to a kernel stands in numbers that a reader can check by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import BufferRole, Case, CaseArgument, CaseBuffer, KernelRecord
from tests.run_records import BLOBS, make_launched_record
from workers.web.source_views.case_values import (
    describe_tolerances,
    find_examples,
    list_numbers,
)

BUFFER = CaseBuffer(
    name="out", element="float", element_size=4, size=8, role=BufferRole.OUT, gold="1"
)


@pytest.mark.parametrize(
    ("absolute", "relative", "words"),
    [
        (0.0, 0.0, "every bit"),
        (1e-6, 0.0, "±1e-06"),
        (0.0, 2e-5, "±2e-05 of the value"),
        (1e-6, 2e-5, "±1e-06 and ±2e-05 of the value"),
    ],
)
def test_how_near_an_output_has_to_come_is_said(
    absolute: float, relative: float, words: str
) -> None:
    output = replace(BUFFER, absolute=absolute, relative=relative)
    read = replace(BUFFER, name="in", role=BufferRole.IN, gold="")
    case = replace(make_launched_record().suites[0][1].cases[0], buffers=(read, output))
    assert describe_tolerances(case) == [("out", words)]


def test_a_structure_that_is_passed_is_shown_by_its_bytes() -> None:
    record = make_launched_record()
    structure = CaseArgument(name="map", content="0000803f0000a040")
    case = record.suites[0][1].cases[0]
    case = replace(case, arguments=(*case.arguments, structure))
    assert ("map", "bytes 0000803f 0000a040") in list_numbers(record.kernel, case)
    long = replace(structure, content="00" * 4000)
    ((_, words),) = list_numbers(record.kernel, replace(case, arguments=(long,)))
    assert len(words) < 200
    assert words.endswith("… of 4000")


def with_sizes(record: KernelRecord, sizes: dict[str, int]) -> KernelRecord:
    """Return a record whose cases have buffers of so many elements."""
    ((digest, suite),) = record.suites
    cases: list[Case] = []
    for name, elements in sizes.items():
        content = BLOBS.put(bytes(4 * elements))
        buffers = tuple(
            replace(
                buffer,
                element="float",
                element_size=4,
                size=4 * elements,
                content=content,
                gold=content if buffer.gold else "",
            )
            for buffer in suite.cases[0].buffers
        )
        cases.append(replace(suite.cases[0], name=name, buffers=buffers))
    return replace(record, suites=((digest, replace(suite, cases=tuple(cases))),))


def test_a_case_of_one_element_is_joined_by_one_that_tells_rows_from_columns() -> None:
    record = with_sizes(make_launched_record(), {"large": 500, "one": 1, "few": 20})
    one, few = find_examples(record, BLOBS.get)
    assert (one.name, few.name) == ("one", "few")
    assert few.buffers[0].before.count("0") == 20, (
        "all of it, so that it can be checked"
    )


def test_a_case_that_nobody_checks_by_hand_is_left_out() -> None:
    record = with_sizes(make_launched_record(), {"large": 500, "one": 1})
    assert [example.name for example in find_examples(record, BLOBS.get)] == ["one"]
