"""A driver's device: errors, arguments, and a library that is missing."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from crawler.validate.runner.driver import Driver, allocate_argument
from crawler.validate.runner.driver_calls import DriverError, DriverNotFound
from crawler.validate.runner.vendors import VENDORS


def test_arguments_lie_aligned() -> None:
    value = allocate_argument(b"\x01\x02\x03\x04\x05")
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
