"""What a program is told to run, and what is made of its answer."""

from __future__ import annotations

from crawler.validate.simt.execution import Outcome, executions
from crawler.validate.simt.job import job
from crawler.validate.simt.launch import Argument, Buffer, Launch, Order, Pointer, by_value, to
from crawler.validate.simt.signature import Form, signatures

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
    buffers = (Buffer(size=4, content=b"abcd"), Buffer(size=9), Buffer(size=4, content=b"ef"))
    launch = Launch(grid=(1, 2, 3), block=(4, 5, 6), buffers=buffers, order=Order.REVERSE, seed=7, seconds=0.5)
    text, inputs = job([launch], 16 << 10)
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
    inside = Buffer(size=16, content=bytes(16), pointers=((8, Pointer(buffer=0, offset=4)),))
    view = Argument(content=bytes(12), pointers=((0, Pointer(buffer=0)), (4, Pointer())))
    text, _ = job(
        [Launch(grid=(1, 1, 1), block=(1, 1, 1), buffers=(inside,), arguments=(by_value(b"\x07"), to(0), view))], 8192
    )
    assert "link 0 8 0 4" in text
    assert "argument 07\nargument 0000000000000000\nargument 000000000000000000000000\n" in text
    assert text.endswith("patch 1 0 0 0\npatch 2 0 0 0\npatch 2 4 -1 0\ngo\n")


def test_each_launch_has_its_own_outcome() -> None:
    done, fault, late, killed = executions(TOLD)
    assert (done.outcome, done.blocks_done, done.nanoseconds) == (Outcome.DONE, 6, 1234)
    assert [late.outcome, killed.outcome] == [Outcome.TIMEOUT, Outcome.KILLED]
    assert fault.outcome is Outcome.FAULT
    found = fault.finding("out-of-bounds")
    assert found is not None
    assert (found.times, found.block, found.thread, found.line) == (4, (1, 0, 0), (5, 2, 0), 17)
    assert (found.buffer, found.offset) == (1, -8)


def test_a_run_that_crashed_was_not_ended_from_outside() -> None:
    (crashed,) = executions(
        "run 11 -1 0 0 0\nfinding array-bounds 7 0 0 0 33 0 0 4 -1 0 33\nfinding fault 1 0 0 0 0 0 0 0 -1 0 11\n"
    )
    assert crashed.outcome is Outcome.FAULT


def test_what_was_read_before_it_was_written_is_an_input() -> None:
    given, made = list(executions(TOLD))[1].accesses
    assert (given.role, given.read, given.element_size) == ("in", (0, 64), 4)
    assert (made.role, made.written, made.write_sizes, made.element_size, made.atomic) == (
        "out",
        (-8, 0),
        (4, 8),
        4,
        True,
    )


def test_a_cut_answer_gives_what_is_whole() -> None:
    assert [each.outcome for each in executions(TOLD[:25])] == [Outcome.DONE]
    assert list(executions("")) == []
    assert list(executions("run one two 3 4 5\nrun 1e9 0 0 0 0\nfinding race x\n\n")) == []


def test_parameters_are_told_with_their_types() -> None:
    described = (
        "entry 0\nparameter p 8 8 f 4 1 const char *name_of() [T = const float *]\n"
        "entry 1\nparameter c 24 8 - 0 0 x [T = at::View<float, 2>]\n"
    )
    (pointer,), (view,) = signatures(f"what a unit prints\nparameter q\n{described}parameter what else it prints\n")
    assert (pointer.form, pointer.pointee, pointer.is_const, pointer.type) == (
        Form.POINTER,
        Form.FLOATING,
        True,
        "const float *",
    )
    assert (view.form, view.size, view.type) == (Form.CLASS, 24, "at::View<float, 2>")
