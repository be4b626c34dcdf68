"""What a program is told to run."""

from __future__ import annotations

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


def test_what_holds_for_all_launches_behind_is_said_once() -> None:
    def launch(mutant: int, shared_fill: int) -> KernelLaunch:
        return KernelLaunch(
            grid=(1, 1, 1), block=(1, 1, 1), mutant=mutant, shared_fill=shared_fill
        )

    launches = [launch(0, 0xFF), launch(3, 0xFF), launch(3, 0), launch(0, 0)]
    job, _ = encode_job(launches, 1 << 10)
    words = [line.partition(" ")[0] for line in job.splitlines()]
    assert words == [
        *("stack", "launch", "go"),
        *("mutant", "launch", "go"),
        *("fill", "launch", "go"),
        *("mutant", "launch", "go"),
    ]


def test_contents_that_are_the_same_stand_once_in_the_inputs() -> None:
    buffer = Buffer(size=3, content=b"abc")
    launch = KernelLaunch(grid=(1, 1, 1), block=(1, 1, 1), buffers=(buffer, buffer))
    job, inputs = encode_job([launch, launch], 1 << 10)
    assert inputs == b"abc"
    assert job.count("buffer 3 0") == 4
