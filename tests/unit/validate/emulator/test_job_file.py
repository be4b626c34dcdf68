"""What a program is told to run, and what is made of its answer."""

from __future__ import annotations

from crawler.validate.emulator.execution import Outcome, parse_executions
from crawler.validate.emulator.job_file import encode_job
from crawler.validate.emulator.launch import (
    Argument,
    Buffer,
    KernelLaunch,
    Pointer,
    ThreadOrder,
    pointer_argument,
    value_argument,
)
from crawler.validate.values.parameter_types import TypeKind, parse_signatures

TOLD = """run 0 0 1 6 1234
run 0 3 0 2 0
finding out-of-bounds 4 1 0 0 5 2 0 17 1 -8 11
extent 0 0 64 0 0 4 0 0 1 64 0
extent 1 0 0 -8 0 0 12 1 0 0 8
run 9 -1 0 0 0
finding timeout 1 0 0 0 0 0 0 0 -1 0 0
run 9 -1 0 0 0
"""


def test_contents_follow_each_other_and_what_has_none_takes_no_place() -> None:
    buffers = (
        Buffer(size=4, content=b"abcd"),
        Buffer(size=9),
        Buffer(size=4, content=b"ef"),
    )
    launch = KernelLaunch(
        grid=(1, 2, 3),
        block=(4, 5, 6),
        buffers=buffers,
        order=ThreadOrder.REVERSE,
        seed=7,
        max_seconds=0.5,
    )
    text, inputs = encode_job([launch], 16 << 10)
    assert text.splitlines() == [
        "stack 16",
        "launch 0 1 2 3 4 5 6 0 1 7 0.5",
        "buffer 4 0",
        "buffer 9 -1",
        "buffer 4 4",
        "go",
    ]
    assert inputs == b"abcdef\xff\xff"


def test_pointers_are_told_apart_from_bytes() -> None:
    inside = Buffer(
        size=16, content=bytes(16), pointers=((8, Pointer(buffer=0, offset=4)),)
    )
    view = Argument(
        content=bytes(12), pointers=((0, Pointer(buffer=0)), (4, Pointer()))
    )
    text, _ = encode_job(
        [
            KernelLaunch(
                grid=(1, 1, 1),
                block=(1, 1, 1),
                buffers=(inside,),
                arguments=(value_argument(b"\x07"), pointer_argument(0), view),
            )
        ],
        8192,
    )
    assert "link 0 8 0 4" in text
    assert (
        "argument 07\nargument 0000000000000000\nargument 000000000000000000000000\n"
        in text
    )
    assert text.endswith("patch 1 0 0 0\npatch 2 0 0 0\npatch 2 4 -1 0\ngo\n")


def test_each_launch_has_its_own_outcome() -> None:
    done, fault, late, killed = parse_executions(TOLD)
    assert (done.outcome, done.completed_blocks, done.nanoseconds) == (
        Outcome.DONE,
        6,
        1234,
    )
    assert [late.outcome, killed.outcome] == [Outcome.TIMEOUT, Outcome.KILLED]
    assert fault.outcome is Outcome.FAULT
    found = fault.find_finding("out-of-bounds")
    assert found is not None
    assert (found.count, found.block, found.thread, found.line) == (
        4,
        (1, 0, 0),
        (5, 2, 0),
        17,
    )
    assert (found.buffer, found.offset) == (1, -8)


def test_a_run_that_crashed_was_not_ended_from_outside() -> None:
    (crashed,) = parse_executions(
        "run 11 -1 0 0 0\nfinding array-bounds 7 0 0 0 33 0 0 4 -1 0 33\nfinding fault 1 0 0 0 0 0 0 0 -1 0 11\n"
    )
    assert crashed.outcome is Outcome.FAULT


def test_what_was_read_before_it_was_written_is_an_input() -> None:
    given, made = list(parse_executions(TOLD))[1].accesses
    assert (given.role, given.read_range, given.element_size) == ("in", (0, 64), 4)
    assert (
        made.role,
        made.written_range,
        made.write_sizes,
        made.element_size,
        made.is_atomic,
    ) == (
        "out",
        (-8, 0),
        (4, 8),
        4,
        True,
    )


def test_a_cut_answer_gives_what_is_whole() -> None:
    assert [each.outcome for each in parse_executions(TOLD[:25])] == [Outcome.DONE]
    assert list(parse_executions("")) == []
    assert (
        list(parse_executions("run one two 3 4 5\nrun 1e9 0 0 0 0\nfinding race x\n\n"))
        == []
    )


def test_parameters_are_told_with_their_types() -> None:
    described = (
        "entry 0\nparameter p 8 8 f 4 1 const char *name_of() [T = const float *]\n"
        "entry 1\nparameter c 24 8 - 0 0 x [T = at::View<float, 2>]\n"
    )
    (pointer,), (view,) = parse_signatures(
        f"what a unit prints\nparameter q\n{described}parameter what else it prints\n"
    )
    assert (
        pointer.kind,
        pointer.pointee_kind,
        pointer.is_const,
        pointer.type_name,
    ) == (
        TypeKind.POINTER,
        TypeKind.FLOATING,
        True,
        "const float *",
    )
    assert (view.kind, view.size, view.type_name) == (
        TypeKind.CLASS,
        24,
        "at::View<float, 2>",
    )
