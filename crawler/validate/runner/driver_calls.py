"""Call functions of a vendor's GPU driver through ctypes; a refused call raises its error."""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_float,
    c_int,
    c_size_t,
    c_ubyte,
    c_uint,
    c_void_p,
)
from typing import Any

from .vendors import DEVICE_LOST_ERRORS, ERROR_CODES, Vendor

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "Init": (c_uint,),
    "DriverGetVersion": (POINTER(c_int),),
    "GetDeviceCount": (POINTER(c_int),),
    "DeviceGet": (POINTER(c_int), c_int),
    "DeviceGetName": (c_char_p, c_int, c_int),
    "DeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "DeviceSynchronize": (),
    "SetDevice": (c_int,),
    "DevicePrimaryCtxRetain": (POINTER(c_void_p), c_int),
    "DevicePrimaryCtxRelease": (c_int,),
    "CtxSetCurrent": (c_void_p,),
    "CtxResetPersistingL2Cache": (),
    "MemGetInfo": (POINTER(c_size_t), POINTER(c_size_t)),
    "Malloc": (POINTER(c_void_p), c_size_t),
    "Free": (c_void_p,),
    "MemcpyHtoD": (c_void_p, c_char_p, c_size_t),
    "MemcpyDtoH": (c_void_p, c_void_p, c_size_t),
    "MemcpyDtoD": (c_void_p, c_void_p, c_size_t),
    "MemsetD8": (c_void_p, c_ubyte, c_size_t),
    "ModuleLoadData": (POINTER(c_void_p), c_char_p),
    "ModuleUnload": (c_void_p,),
    "ModuleGetFunction": (POINTER(c_void_p), c_void_p, c_char_p),
    "FuncGetAttribute": (POINTER(c_int), c_int, c_void_p),
    "FuncSetAttribute": (c_void_p, c_int, c_int),
    "ModuleLaunchKernel": (
        c_void_p,
        # Grid and block of three axes each, and bytes of shared memory.
        *(c_uint,) * 7,
        c_void_p,
        POINTER(c_void_p),
        c_void_p,
    ),
    "EventCreateWithFlags": (POINTER(c_void_p), c_uint),
    "EventRecord": (c_void_p, c_void_p),
    "EventSynchronize": (c_void_p,),
    "EventElapsedTime": (POINTER(c_float), c_void_p, c_void_p),
    "EventDestroy": (c_void_p,),
}
"""Argument types of functions, by their name in HIP's driver without the prefix."""


class DriverError(Exception):
    """A call that the driver refused."""

    def __init__(self, call: str, number: int, name: str) -> None:
        super().__init__(f"{call}: {name or 'error'} ({number})")
        self.number = number

    @property
    def code(self) -> str:
        """A stable slug."""
        return ERROR_CODES.get(self.number, "driver-error")

    @property
    def is_device_lost(self) -> bool:
        """Tell whether nothing works any more in this process."""
        return self.number in DEVICE_LOST_ERRORS


class DriverNotFound(Exception):
    """There is no library to call."""


class DriverCalls:
    """The functions of a driver's library."""

    def __init__(self, vendor: Vendor, library: str = "") -> None:
        self.vendor = vendor
        self.library = _open_library(vendor, library)

    def call(self, name: str, *arguments: Any) -> None:
        """Make one call; raises `DriverError` where it is refused."""
        function = self.function(name)
        number = int(function(*arguments))
        if number:
            raise DriverError(self.vendor.calls[name], number, self._error_name(number))

    def function(self, name: str) -> Any:
        """Return a function with its argument types; raises `DriverNotFound` without it."""
        try:
            function = getattr(self.library, self.vendor.calls[name])
        except AttributeError:
            raise DriverNotFound(
                f"the driver has no {self.vendor.calls[name]}: it is too old"
            ) from None

        # Without them ctypes would cut addresses to 32 bits.
        function.argtypes = _SIGNATURES[name]
        function.restype = c_int

        return function

    def _error_name(self, number: int) -> str:
        function = getattr(self.library, self.vendor.calls["GetErrorName"])
        if not self.vendor.has_contexts:
            # HIP returns the name, CUDA stores a pointer to it.
            function.restype = c_char_p
            return (function(number) or b"").decode("utf-8", "replace")

        name = c_char_p()
        if function(number, byref(name)):
            return ""

        return (name.value or b"").decode("utf-8", "replace")


def _open_library(vendor: Vendor, library: str) -> ctypes.CDLL:
    messages: list[str] = []
    for name in (library,) if library else vendor.libraries:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            messages.append(str(error))

    first_message = messages[0] if messages else ""
    raise DriverNotFound(f"no driver of {vendor.name} can be opened: {first_message}")
