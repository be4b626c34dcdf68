"""Memory of a launch on a device: contents, guards, and nothing that stays behind."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import pytest

from crawler.validate.runner.device_buffers import GUARD_BYTES, DeviceBuffers
from crawler.validate.runner.driver import Driver
from crawler.validate.runner.driver_calls import DriverError
from crawler.validate.runner.manifest import BufferSpec

pytestmark = pytest.mark.apt

FILL = 0x5A
CONTENTS = {"abc": b"abc", "numbers": bytes(range(64))}
INPUT = BufferSpec(size=64, is_written=False, content="numbers")
OUTPUT = BufferSpec(size=48, is_written=True, content="")
UPDATED = BufferSpec(size=64, is_written=True, content="numbers")
OpenDriver = Callable[..., Driver]


def allocate(driver: Driver, specs: Sequence[BufferSpec]) -> DeviceBuffers:
    return DeviceBuffers(driver, specs, CONTENTS.__getitem__, FILL)


def test_inputs_hold_their_content_and_outputs_the_fill(
    open_driver: OpenDriver,
) -> None:
    buffers = allocate(open_driver(), [INPUT, OUTPUT])
    buffers.upload()
    assert buffers.read(0) == CONTENTS["numbers"]
    assert buffers.read(1) == bytes([FILL]) * 48


def test_a_content_is_cut_or_filled_up_to_the_buffers_size(
    open_driver: OpenDriver,
) -> None:
    longer = BufferSpec(size=5, is_written=False, content="abc")
    shorter = BufferSpec(size=2, is_written=False, content="abc")
    buffers = allocate(open_driver(), [longer, shorter])
    buffers.upload()
    assert buffers.read(0) == b"abc\xff\xff"
    assert buffers.read(1) == b"ab"


def test_pointers_in_a_buffer_are_addresses_of_this_device(
    open_driver: OpenDriver,
) -> None:
    links = ((0, 1, 16), (8, -1, 0), (16, 1, -8))
    table = BufferSpec(size=32, is_written=False, content="", links=links)
    buffers = allocate(open_driver(), [table, OUTPUT])
    buffers.upload()
    forward, null, backward, rest = struct.unpack("<4Q", buffers.read(0))
    assert forward == buffers.addresses[1] + 16
    assert null == 0
    assert backward == buffers.addresses[1] - 8
    assert rest == int.from_bytes(bytes([FILL]) * 8, "little")


def test_an_address_in_front_of_all_memory_wraps_around(
    open_driver: OpenDriver,
) -> None:
    buffers = allocate(open_driver(), [OUTPUT])
    offset = -buffers.addresses[0] - 1
    assert buffers.resolve_pointers(bytes(8), [(0, 0, offset)]) == b"\xff" * 8


@pytest.mark.parametrize(
    ("offset", "is_broken"),
    [(-1, True), (0, False), (47, False), (48, True), (48 + GUARD_BYTES - 1, True)],
)
def test_a_write_outside_of_a_buffer_is_seen(
    open_driver: OpenDriver, offset: int, is_broken: bool
) -> None:
    driver = open_driver()
    buffers = allocate(driver, [INPUT, OUTPUT])
    buffers.upload()
    driver.write(buffers.addresses[1] + offset, b"\x01")
    contents, broken = buffers.read_results()
    assert contents[0] == CONTENTS["numbers"]
    assert broken == ([1] if is_broken else [])


def test_a_launch_finds_again_what_the_one_before_changed(
    open_driver: OpenDriver,
) -> None:
    driver = open_driver()
    buffers = allocate(driver, [INPUT, OUTPUT, UPDATED])
    buffers.upload()
    for number in range(3):
        driver.write(buffers.addresses[number], b"changed")

    assert buffers.written_buffers() == (1, 2)
    buffers.restore()

    assert buffers.read(0).startswith(b"changed")
    assert buffers.read(1) == bytes([FILL]) * 48
    assert buffers.read(2) == CONTENTS["numbers"]


def test_released_memory_holds_no_result(open_driver: OpenDriver) -> None:
    driver = open_driver()
    free_before = driver.free_and_total_memory()
    buffers = allocate(driver, [UPDATED])
    buffers.upload()
    buffers.release()
    assert driver.free_and_total_memory() == free_before

    # The device gives out again what was given back.
    size = UPDATED.size + 2 * GUARD_BYTES
    address = driver.allocate(size)
    assert driver.read(address, size) == bytes(size)


def test_releasing_twice_gives_back_once(open_driver: OpenDriver) -> None:
    driver = open_driver()
    free_before = driver.free_and_total_memory()
    buffers = allocate(driver, [INPUT])
    buffers.release()
    other = driver.allocate(8)
    buffers.release()
    assert driver.read(other, 8) is not None
    driver.free(other)
    assert driver.free_and_total_memory() == free_before


def test_buffers_that_do_not_fit_leave_no_memory_taken(
    open_driver: OpenDriver,
) -> None:
    driver = open_driver(memory=1 << 15)
    free_before = driver.free_and_total_memory()
    with pytest.raises(DriverError) as raised:
        allocate(driver, [INPUT, OUTPUT, UPDATED, INPUT])
    assert raised.value.code == "device-memory"
    assert driver.free_and_total_memory() == free_before


def test_a_buffer_of_no_bytes_has_guards_too(open_driver: OpenDriver) -> None:
    driver = open_driver()
    empty = BufferSpec(size=0, is_written=True, content="")
    buffers = allocate(driver, [empty])
    buffers.upload()
    assert buffers.read(0) == b""
    assert buffers.read_results() == ([b""], [])
    driver.write(buffers.addresses[0], b"\x00")
    assert buffers.read_results() == ([b""], [0])
