"""A driver's device: errors, arguments, and a library that is missing."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.validate.runner.driver import Driver, pack_argument
from crawler.validate.runner.driver_calls import DriverError, DriverNotFound
from crawler.validate.runner.vendors import VENDORS
from tests.stand_ins import drivers

OpenDriver = Callable[..., Driver]


def test_arguments_lie_aligned() -> None:
    value = pack_argument(b"\x01\x02\x03\x04\x05")
    assert ctypes.addressof(value) % 32 == 0
    assert bytes(value) == b"\x01\x02\x03\x04\x05"


@pytest.mark.parametrize(
    ("number", "code", "is_device_lost"),
    [
        (2, "device-memory", False),
        (100, "no-device", False),
        (700, "illegal-address", True),
        (719, "launch-failed", True),
        (12345, "driver-error", False),
    ],
)
def test_an_error_has_a_code_and_may_cost_the_device(
    number: int, code: str, is_device_lost: bool
) -> None:
    error = DriverError("cuLaunchKernel", number, "")
    assert (error.code, error.is_device_lost) == (code, is_device_lost)
    assert str(error) == f"cuLaunchKernel: error ({number})"


@pytest.mark.parametrize("runtime", VENDORS)
def test_a_library_that_is_missing_says_which_driver_it_is(
    tmp_path: Path, runtime: str
) -> None:
    with pytest.raises(DriverNotFound, match=f"no driver of {runtime} can be opened"):
        Driver(VENDORS[runtime], str(tmp_path / "none.so"))


def test_both_vendors_have_the_same_attributes() -> None:
    names = [set(vendor.attributes) for vendor in VENDORS.values()]
    assert names[0] == names[1]


@pytest.mark.apt
@pytest.mark.parametrize(
    ("runtime", "arch", "features", "warp"),
    [("rocm", "gfx90a", "sramecc+:xnack-", 64), ("cuda", "sm_90", "", 32)],
)
def test_a_device_describes_itself(
    open_driver: OpenDriver, runtime: str, arch: str, features: str, warp: int
) -> None:
    description = open_driver(runtime, memory=1 << 20, multiprocessors=7).describe()
    assert description["runtime"] == runtime
    assert (description["arch"], description["features"]) == (arch, features)
    assert description["name"].endswith("Stand-in")
    assert (description["warp"], description["multiprocessors"]) == (warp, 7)
    assert description["memory_bytes"] == description["free_bytes"] == 1 << 20
    assert description["devices"] == 1


@pytest.mark.apt
@pytest.mark.parametrize(
    ("properties", "arch"),
    [
        ("gfx942:sramecc+:xnack-", "gfx942"),
        ("gfx1100", "gfx1100"),
        ("something", ""),
    ],
)
def test_an_arch_is_found_among_the_bytes_of_properties(
    open_driver: OpenDriver, properties: str, arch: str
) -> None:
    assert open_driver(arch=properties).arch() == arch


@pytest.mark.apt
@pytest.mark.parametrize("runtime", VENDORS)
def test_a_machine_without_a_device_says_so(
    open_driver: OpenDriver, runtime: str
) -> None:
    with pytest.raises(DriverError) as raised:
        open_driver(runtime, devices=0)
    assert raised.value.code == "no-device"


@pytest.mark.apt
def test_an_ordinal_beyond_the_devices_is_no_device(
    open_driver: OpenDriver, tmp_path: Path
) -> None:
    library = drivers.install(tmp_path / "two", "cuda", devices=2)
    with pytest.raises(DriverError) as raised:
        Driver(VENDORS["cuda"], str(library), 2)
    assert (raised.value.code, raised.value.number) == ("no-device", 100)
    second = Driver(VENDORS["cuda"], str(library), 1)
    assert second.device_count == 2
    second.close()


@pytest.mark.apt
@pytest.mark.parametrize(
    ("runtime", "name"),
    [("rocm", "hipErrorIllegalAddress"), ("cuda", "CUDA_ERROR_ILLEGAL_ADDRESS")],
)
def test_a_refused_call_has_the_drivers_own_name_for_it(
    open_driver: OpenDriver, runtime: str, name: str
) -> None:
    driver = open_driver(runtime, fail="Malloc:1:700")
    with pytest.raises(DriverError, match=f"{name} .700.") as raised:
        driver.allocate(8)
    assert raised.value.is_device_lost


@pytest.mark.apt
def test_a_library_without_a_function_is_too_old(tmp_path: Path) -> None:
    library = tmp_path / "libcuda.so.1"
    command = ["g++", "-shared", "-x", "c++", "-", "-o", str(library)]
    subprocess.run(command, input=b'extern "C" int unrelated;', check=True)
    with pytest.raises(DriverNotFound, match="has no cuInit: it is too old"):
        Driver(VENDORS["cuda"], str(library))


@pytest.mark.apt
def test_memory_is_filled_and_copied_on_the_device(open_driver: OpenDriver) -> None:
    driver = open_driver()
    source = driver.allocate(16)
    target = driver.allocate(16)
    driver.fill(source, 7, 16)
    driver.write(source + 4, b"here")
    driver.copy(target, source, 16)
    assert driver.read(target, 16) == b"\7\7\7\7here\7\7\7\7\7\7\7\7"


@pytest.mark.apt
def test_nothing_is_asked_of_the_driver_for_no_bytes(open_driver: OpenDriver) -> None:
    driver = open_driver()
    address = driver.allocate(0)
    assert address
    driver.write(address, b"")
    driver.fill(address, 1, 0)
    driver.copy(address, address, 0)
    # An address that is none would be refused if the call were made.
    assert driver.read(0, 0) == b""
    driver.free(address)


@pytest.mark.apt
def test_an_unknown_attribute_is_zero(open_driver: OpenDriver) -> None:
    driver = open_driver()
    unknown = driver.vendor._replace(attributes={"l2_bytes": 9999})
    driver.vendor = unknown
    assert driver.attribute("l2_bytes") == 0


@pytest.mark.apt
def test_events_measure_the_time_between_them(open_driver: OpenDriver) -> None:
    driver = open_driver(timescale="1000")
    begin, end = driver.create_event(), driver.create_event()
    driver.record_event(begin)
    driver.record_event(end)
    elapsed = driver.elapsed_milliseconds(begin, end)
    assert elapsed > 0
    assert driver.elapsed_milliseconds(end, begin) == -elapsed
    driver.destroy_event(begin)
    driver.destroy_event(end)
