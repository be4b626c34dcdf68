"""A stored case is launched with the very bytes and pointers that it was stored with."""

from __future__ import annotations

import pytest

from crawler.codec import decode, encode
from crawler.model import (
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
    Suite,
)
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.launch import (
    Buffer,
    Pointer,
    ThreadOrder,
    pointer_argument,
    value_argument,
)
from crawler.validate.values.blobs import Blobs


def _suite(blobs: Blobs) -> Suite:
    read = CaseBuffer(
        name="a",
        element="float",
        element_size=4,
        size=8,
        role=BufferRole.IN,
        content=blobs.put(b"abcdefgh"),
    )
    table = CaseBuffer(
        name="v.rows",
        element="float *",
        element_size=8,
        size=16,
        role=BufferRole.IN,
        content=blobs.put(bytes(16)),
        pointers=(CasePointer(at=8, buffer=0, offset=4),),
    )
    out = CaseBuffer(
        name="out", element="float", element_size=4, size=4, role=BufferRole.OUT
    )
    arguments = (
        CaseArgument(
            name="out", content="00" * 8, pointers=(CasePointer(at=0, buffer=2),)
        ),
        CaseArgument(name="n", content="02000000"),
    )
    case = Case(
        name="ordinary",
        kind=CaseKind.ORDINARY,
        grid=(2, 1, 1),
        block=(64, 1, 1),
        arguments=arguments,
        buffers=(read, table, out),
    )
    return Suite(unit="f" * 64, seed=7, cases=(case,))


def test_a_suite_survives_storage_and_launches_the_same_bytes() -> None:
    blobs = Blobs()
    suite = decode(encode(_suite(blobs)), Suite)
    launch = build_case_launch(
        suite.cases[0], Blobs(blobs.by_digest), order=ThreadOrder.RANDOM, seed=3
    )
    assert suite == _suite(blobs)
    assert launch.buffers == (
        Buffer(size=8, content=b"abcdefgh"),
        Buffer(
            size=16, content=bytes(16), pointers=((8, Pointer(buffer=0, offset=4)),)
        ),
        Buffer(size=4),
    )
    assert launch.arguments == (pointer_argument(2), value_argument(b"\x02\0\0\0"))
    assert (launch.order, launch.seed, launch.grid) == (
        ThreadOrder.RANDOM,
        3,
        (2, 1, 1),
    )


def test_what_is_not_there_is_not_run_as_something_else() -> None:
    blobs = Blobs()
    case = _suite(blobs).cases[0]
    with pytest.raises(KeyError):
        build_case_launch(case, Blobs())
