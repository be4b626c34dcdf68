"""Launches that a device cannot hold are refused before its driver sees them."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from dataclasses import replace

import pytest

from crawler.validate.runner.device_buffers import DeviceBuffers
from crawler.validate.runner.driver import Driver
from crawler.validate.runner.driver_calls import DriverError
from crawler.validate.runner.kernel_launch import (
    LaunchRefused,
    LoadedModule,
    launch_and_wait,
    pack_arguments,
)
from crawler.validate.runner.manifest import ArgumentSpec, BufferSpec, Launch
from tests.stand_ins import drivers

pytestmark = pytest.mark.apt

COUNT = 8
INPUT = BufferSpec(size=4 * COUNT, is_written=False, content="a")
OUTPUT = BufferSpec(size=4 * COUNT, is_written=True, content="")
LAUNCH = Launch(
    name="ordinary",
    symbol="honest",
    grid=(1, 1, 1),
    block=(32, 1, 1),
    buffers=(INPUT, OUTPUT),
    arguments=(
        ArgumentSpec(content=bytes(8), links=((0, 0, 0),)),
        ArgumentSpec(content=bytes(8), links=((0, 1, 0),)),
        ArgumentSpec(content=struct.pack("<i", COUNT)),
    ),
)
NUMBERS = struct.pack(f"<{COUNT}f", *range(COUNT))
OpenDriver = Callable[..., Driver]


def find_refusal(driver: Driver, launch: Launch) -> tuple[str, str]:
    module = LoadedModule(driver, drivers.raw_object())
    with pytest.raises(LaunchRefused) as raised:
        module.find_kernel(launch)
    return raised.value.code, str(raised.value)


@pytest.mark.parametrize("runtime", ["rocm", "cuda"])
def test_a_launch_that_fits_leaves_its_outputs(
    open_driver: OpenDriver, runtime: str
) -> None:
    driver = open_driver(runtime)
    module = LoadedModule(driver, drivers.raw_object())
    buffers = DeviceBuffers(driver, LAUNCH.buffers, lambda _: NUMBERS, 0xFF)
    buffers.upload()
    values = pack_arguments(LAUNCH, buffers)
    launch_and_wait(driver, module.find_kernel(LAUNCH), LAUNCH, values)
    output = struct.unpack(f"<{COUNT}f", buffers.read(1))
    assert output == tuple(2 * number + 1 for number in range(COUNT))


def test_arguments_hold_addresses_and_numbers(open_driver: OpenDriver) -> None:
    buffers = DeviceBuffers(open_driver(), LAUNCH.buffers, lambda _: NUMBERS, 0xFF)
    pointer, _, number = pack_arguments(LAUNCH, buffers)
    assert bytes(pointer) == buffers.addresses[0].to_bytes(8, "little")
    assert bytes(number) == struct.pack("<i", COUNT)
    assert ctypes.addressof(pointer) != buffers.addresses[0]


@pytest.mark.parametrize(
    ("runtime", "grid", "block", "code"),
    [
        ("rocm", (1, 65537, 1), (32, 1, 1), "grid-y"),
        ("rocm", (1, 1, 65537), (32, 1, 1), "grid-z"),
        ("rocm", (1, 1, 1), (1025, 1, 1), "block-size"),
        ("rocm", (1, 1, 1), (32, 32, 2), "block-size"),
        ("cuda", (1, 65536, 1), (32, 1, 1), "grid-y"),
        ("cuda", (1, 1, 1), (1, 1, 65), "block-z"),
    ],
)
def test_extents_beyond_the_device_are_refused(
    open_driver: OpenDriver,
    runtime: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    code: str,
) -> None:
    launch = replace(LAUNCH, grid=grid, block=block)
    assert find_refusal(open_driver(runtime), launch)[0] == code


def test_the_largest_extents_are_taken(open_driver: OpenDriver) -> None:
    largest = replace(LAUNCH, grid=(2147483647, 65535, 65535), block=(16, 1, 64))
    module = LoadedModule(open_driver("cuda"), drivers.raw_object())
    assert module.find_kernel(largest)


@pytest.mark.parametrize(("threads", "limit"), [(256, 256), (2048, 1024), (0, 1024)])
def test_a_block_is_held_to_the_smaller_known_limit(
    open_driver: OpenDriver, threads: int, limit: int
) -> None:
    driver = open_driver(threads=threads)
    launch = replace(LAUNCH, block=(limit // 2, 2, 2))
    refusal = find_refusal(driver, launch)
    message = f"{2 * limit} threads a block are more than {limit}"
    assert refusal == ("block-size", message)
    module = LoadedModule(driver, drivers.raw_object())
    assert module.find_kernel(replace(LAUNCH, block=(limit // 2, 2, 1)))


def test_a_kernels_own_shared_memory_counts_beside_the_launchs(
    open_driver: OpenDriver,
) -> None:
    driver = open_driver()
    launch = replace(LAUNCH, symbol="hoards", shared_bytes=30 << 10)
    message = "40960 bytes of its own and 30720 of the launch are more than 65536"
    assert find_refusal(driver, launch) == ("shared-memory", message)
    module = LoadedModule(driver, drivers.raw_object())
    assert module.find_kernel(replace(launch, shared_bytes=24 << 10))


def test_an_unknown_limit_of_shared_memory_refuses_nothing(
    open_driver: OpenDriver,
) -> None:
    module = LoadedModule(open_driver(shared=0), drivers.raw_object())
    assert module.find_kernel(replace(LAUNCH, shared_bytes=1 << 20))


@pytest.mark.parametrize(
    ("kilobytes", "is_refused"), [(48, False), (100, False), (228, True)]
)
def test_nvidias_devices_have_more_shared_memory_where_it_is_asked_for(
    open_driver: OpenDriver, kilobytes: int, is_refused: bool
) -> None:
    driver = open_driver("cuda")
    launch = replace(LAUNCH, shared_bytes=kilobytes << 10)
    if is_refused:
        assert find_refusal(driver, launch)[0] == "shared-memory"
        return

    module = LoadedModule(driver, drivers.raw_object())
    assert module.find_kernel(launch)


def test_a_symbol_that_the_object_lacks_is_the_drivers_error(
    open_driver: OpenDriver,
) -> None:
    module = LoadedModule(open_driver(), drivers.raw_object())
    with pytest.raises(DriverError) as raised:
        module.find_kernel(replace(LAUNCH, symbol="nobody"))
    assert raised.value.code == "entry-missing"


@pytest.mark.parametrize("image", [b"", b"no object", b"\x7fELF\x01" + bytes(200)])
def test_an_object_that_is_none_is_not_loaded(
    open_driver: OpenDriver, image: bytes
) -> None:
    with pytest.raises(DriverError) as raised:
        LoadedModule(open_driver(), image)
    assert raised.value.code == "not-loadable"
