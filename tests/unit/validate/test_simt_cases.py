"""A stored case is launched with the very bytes and pointers that it was stored with."""

from __future__ import annotations

import pytest

from crawler.codec import decode, encode
from crawler.model import BufferRole, Case, CaseArgument, CaseBuffer, CaseKind, CasePointer, Suite
from crawler.validate.blobs import Blobs
from crawler.validate.simt.cases import launch_of
from crawler.validate.simt.launch import Buffer, Order, Pointer, by_value, to


def _suite(blobs: Blobs) -> Suite:
    read = CaseBuffer(
        name="a", element="float", element_size=4, size=8, role=BufferRole.IN, content=blobs.put(b"abcdefgh")
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
    out = CaseBuffer(name="out", element="float", element_size=4, size=4, role=BufferRole.OUT)
    arguments = (
        CaseArgument(name="out", content="00" * 8, pointers=(CasePointer(at=0, buffer=2),)),
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
    launch = launch_of(suite.cases[0], Blobs(blobs.all), order=Order.RANDOM, seed=3)
    assert suite == _suite(blobs)
    assert launch.buffers == (
        Buffer(size=8, content=b"abcdefgh"),
        Buffer(size=16, content=bytes(16), pointers=((8, Pointer(buffer=0, offset=4)),)),
        Buffer(size=4),
    )
    assert launch.arguments == (to(2), by_value(b"\x02\0\0\0"))
    assert (launch.order, launch.seed, launch.grid) == (Order.RANDOM, 3, (2, 1, 1))


def test_what_is_not_there_is_not_run_as_something_else() -> None:
    blobs = Blobs()
    case = _suite(blobs).cases[0]
    with pytest.raises(KeyError):
        launch_of(case, Blobs())
