"""Orders of numbers that a kernel's own launches keep."""

from __future__ import annotations

from crawler.model import Kernel
from crawler.validate.cpu.launcher_checks.kept_orders import (
    keeps_orders,
    list_kept_orders,
)
from crawler.validate.recordings.recorded_launch import (
    RecordedLaunch,
    RecordedParameter,
)
from tests.plain import plain_kernel, plain_unit

NAMES = ("ring", "capacity", "count")
KERNEL: Kernel = plain_kernel(
    plain_unit(""), parameters=tuple((name, "int") for name in NAMES)
)


def make_launch(capacity: int, count: int) -> RecordedLaunch:
    numbers = [
        RecordedParameter(
            description="s 4 4 - 0 0 int",
            content=number.to_bytes(4, "little", signed=True),
        )
        for number in (capacity, count)
    ]
    pointer = RecordedParameter(description="p 8 8 f 4 0 float *", content=bytes(8))
    return RecordedLaunch(
        kernel=0,
        arguments="",
        number=1,
        test=0,
        grid=(1, 1, 1),
        block=(32, 1, 1),
        shared_bytes=0,
        seconds=0.0,
        parameters=(pointer, *numbers),
        pointers=(),
        buffers=(),
        links=(),
    )


def test_a_signal_that_never_outgrows_its_ring_keeps_an_order() -> None:
    orders = list_kept_orders(KERNEL, [make_launch(256, 100), make_launch(64, 64)])

    assert orders == {("count", "capacity")}
    assert keeps_orders(orders, {"capacity": 300, "count": 7})
    assert not keeps_orders(orders, {"capacity": 6, "count": 300})


def test_what_one_launch_breaks_is_no_order() -> None:
    assert not list_kept_orders(KERNEL, [make_launch(8, 9), make_launch(9, 8)])


def test_where_nothing_was_recorded_any_numbers_will_do() -> None:
    assert keeps_orders(list_kept_orders(KERNEL, []), {"capacity": 6, "count": 300})


def test_numbers_below_zero_are_read_with_their_sign() -> None:
    orders = list_kept_orders(KERNEL, [make_launch(1, -1)])
    assert orders == {("count", "capacity")}
