"""What is made of a program's report of its launches."""

from __future__ import annotations

import pytest

from crawler.validate.emulator.execution_report import (
    BufferAccess,
    Outcome,
    parse_executions,
)
from crawler.validate.emulator.launch import Pointer

REPORT = """run 0 0 1 6 1234
run 0 3 0 2 0
finding out-of-bounds 4 1 0 0 5 2 0 17 1 -8 11
extent 0 0 64 0 0 4 0 0 1 64 0
extent 1 0 0 -8 0 0 12 1 0 0 8
run 9 -1 0 0 0
finding timeout 1 0 0 0 0 0 0 0 -1 0 0
run 9 -1 0 0 0
"""


def test_each_launch_has_its_own_outcome() -> None:
    done, fault, late, killed = parse_executions(REPORT)
    assert (done.outcome, done.completed_blocks, done.nanoseconds) == (
        Outcome.DONE,
        6,
        1234,
    )
    assert [late.outcome, killed.outcome] == [Outcome.TIMEOUT, Outcome.KILLED]
    assert fault.outcome is Outcome.FAULT
    finding = fault.find_finding("out-of-bounds")
    assert finding is not None
    assert (finding.count, finding.block, finding.thread, finding.line) == (
        4,
        (1, 0, 0),
        (5, 2, 0),
        17,
    )
    assert (finding.buffer, finding.offset) == (1, -8)


def test_a_run_that_crashed_was_not_ended_from_outside() -> None:
    (crashed,) = parse_executions(
        "run 11 -1 0 0 0\nfinding array-bounds 7 0 0 0 33 0 0 4 -1 0 33\nfinding fault 1 0 0 0 0 0 0 0 -1 0 11\n"
    )
    assert crashed.outcome is Outcome.FAULT


def test_what_was_read_before_it_was_written_is_an_input() -> None:
    input_access, output_access = list(parse_executions(REPORT))[1].accesses
    assert (input_access.role, input_access.read_range, input_access.element_size) == (
        "in",
        (0, 64),
        4,
    )
    assert (
        output_access.role,
        output_access.written_range,
        output_access.write_sizes,
        output_access.element_size,
        output_access.is_atomic,
    ) == (
        "out",
        (-8, 0),
        (4, 8),
        4,
        True,
    )


def test_a_cut_answer_gives_what_is_whole() -> None:
    assert [execution.outcome for execution in parse_executions(REPORT[:25])] == [
        Outcome.DONE
    ]
    assert list(parse_executions("")) == []
    assert (
        list(parse_executions("run one two 3 4 5\nrun 1e9 0 0 0 0\nfinding race x\n\n"))
        == []
    )


def test_what_was_made_is_told_with_where_it_points() -> None:
    description = "run 0 0 1 1 5\nmade-pointer 1 8 0 64\nmade 1 0100000000000000\nmade 2 ff\nmade 3 xyz\n"
    (execution,) = parse_executions(description)
    (first, first_argument), (second, second_argument) = execution.constructed_arguments
    assert (first, first_argument.content[0], first_argument.pointers) == (
        1,
        1,
        ((8, Pointer(buffer=0, offset=64)),),
    )
    assert (second, second_argument.content, second_argument.pointers) == (
        2,
        b"\xff",
        (),
    )


def test_counters_are_those_of_a_function() -> None:
    (execution,) = parse_executions("run 0 0 1 1 5\ncounts 42 7 0 9\ncounts 8\n")
    assert execution.counters == ((42, (7, 0, 9)), (8, ()))


def test_a_structure_belongs_to_the_launch_that_told_of_it() -> None:
    report = "run 0 0 1 1 5\nmade 0 aa\nrun 0 0 1 1 5\nmade 0 bb\n"
    first, second = parse_executions(report)
    assert first.constructed_arguments[0][1].content == b"\xaa"
    assert second.constructed_arguments[0][1].content == b"\xbb"


@pytest.mark.parametrize(
    ("written_range", "is_input", "role"),
    [
        ((0, 0), False, "unused"),
        ((0, 0), True, "in"),
        ((0, 4), False, "out"),
        ((0, 4), True, "inout"),
    ],
)
def test_a_role_follows_from_what_was_done(
    written_range: tuple[int, int], is_input: bool, role: str
) -> None:
    access = BufferAccess(written_range=written_range, is_input=is_input)
    assert access.role == role


def test_an_element_is_as_large_as_the_smallest_access() -> None:
    access = BufferAccess(read_sizes=(4, 16), write_sizes=(2,))
    assert access.element_size == 2
    assert BufferAccess().element_size == 0
