"""Call a vendor's GPU driver through ctypes; each refused call is an error with its name."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
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
_SHARED_SIZE, _MOST_THREADS, _DYNAMIC_SHARED = 1, 0, 8
_PROPERTIES = 1 << 16
"""Bytes that hold any version of a device's properties."""
_ARCH = re.compile(rb"\0(gfx[0-9a-f]{3,5}(?::[a-z]+[+-])*)\0")


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


class Driver:
    """One device, opened."""

    def __init__(self, vendor: Vendor, library: str = "", ordinal: int = 0) -> None:
        self.vendor = vendor
        self._library = _opened(vendor, library)
        self._device, self._context = c_int(0), c_void_p()
        self.call("Init", 0)
        self.device_count = self._asked("GetDeviceCount")
        if self.device_count <= ordinal:
            raise DriverError("GetDeviceCount", 100, "no device")
        self._open(ordinal)

    def call(self, name: str, *arguments: Any) -> None:
        """Make one call; raises `DriverError` where it is refused."""
        function = self._function(name)
        number = int(function(*arguments))
        if number:
            raise DriverError(self.vendor.calls[name], number, self._error_name(number))

    def close(self) -> None:
        """Give the device back."""
        if self.vendor.has_contexts:
            self.call("DevicePrimaryCtxRelease", self._device)

    def attribute(self, name: str) -> int:
        """Return a property of the device, 0 where it does not know it."""
        value = c_int(0)
        function = self._function("DeviceGetAttribute")
        failed = function(byref(value), self.vendor.attributes[name], self._device)
        return 0 if failed else int(value.value)

    def arch(self) -> str:
        """Return the offload arch: `gfx942`, `sm_90`."""
        if self.vendor.has_contexts:
            return f"sm_{self.attribute('major')}{self.attribute('minor')}"
        return self._gcn_arch().partition(":")[0]

    def describe(self) -> dict[str, Any]:
        """Return what the device says of itself."""
        free, total = self.free_and_total_memory()
        return {
            "runtime": self.vendor.name,
            "name": self._name(),
            "arch": self.arch(),
            "features": ""
            if self.vendor.has_contexts
            else self._gcn_arch().partition(":")[2],
            "driver": self._asked("DriverGetVersion"),
            "devices": self.device_count,
            "memory_bytes": total,
            "free_bytes": free,
            **{name: self.attribute(name) for name in self.vendor.attributes},
        }

    def free_and_total_memory(self) -> tuple[int, int]:
        """Return free and total bytes."""
        free, total = c_size_t(0), c_size_t(0)
        self.call("MemGetInfo", byref(free), byref(total))
        return int(free.value), int(total.value)

    def allocate(self, size: int) -> int:
        """Return the address of new memory."""
        place = c_void_p()
        self.call("Malloc", byref(place), max(size, 1))
        return int(place.value or 0)

    def free(self, address: int) -> None:
        """Give memory back."""
        self.call("Free", address)

    def write(self, address: int, content: bytes) -> None:
        """Copy to the device."""
        if content:
            self.call("MemcpyHtoD", address, content, len(content))

    def read(self, address: int, size: int) -> bytes:
        """Copy from the device."""
        if not size:
            return b""
        content = ctypes.create_string_buffer(size)
        self.call("MemcpyDtoH", content, address, size)
        return content.raw

    def fill(self, address: int, byte: int, size: int) -> None:
        """Write one byte all over a range."""
        if size:
            self.call("MemsetD8", address, byte, size)

    def copy(self, target: int, source: int, size: int) -> None:
        """Copy on the device."""
        if size:
            self.call("MemcpyDtoD", target, source, size)

    def load_module(self, image: bytes) -> int:
        """Return a new module of a code object, a cubin or PTX."""
        module = c_void_p()
        self.call("ModuleLoadData", byref(module), image)
        return int(module.value or 0)

    def unload_module(self, module: int) -> None:
        """Drop a module."""
        self.call("ModuleUnload", module)

    def find_kernel(self, module: int, symbol: str) -> int:
        """Return a kernel of a module by its symbol."""
        function = c_void_p()
        self.call("ModuleGetFunction", byref(function), module, symbol.encode())
        return int(function.value or 0)

    def static_shared_bytes(self, function: int) -> int:
        """Return the bytes of shared memory that a kernel has of its own."""
        return self._of_function(function, _SHARED_SIZE)

    def max_threads(self, function: int) -> int:
        """Return how many threads a block of a kernel may have; 0 where it is not known."""
        return self._of_function(function, _MOST_THREADS)

    def allow_dynamic_shared(self, function: int, size: int) -> None:
        """Ask for more dynamic shared memory than is usual, where that has to be asked for."""
        if self.vendor.has_contexts:
            self.call("FuncSetAttribute", function, _DYNAMIC_SHARED, size)

    def launch(
        self,
        function: int,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        values: Sequence[Any],
    ) -> None:
        """Launch a kernel; `values` hold its arguments, each in memory of its own."""
        pointers = (c_void_p * max(1, len(values)))(
            *(ctypes.addressof(each) for each in values)
        )
        self.call(
            "ModuleLaunchKernel",
            function,
            *grid,
            *block,
            shared_bytes,
            None,
            pointers,
            None,
        )

    def synchronise(self) -> None:
        """Wait until all that was asked of the device is done; raises what went wrong meanwhile."""
        self.call("DeviceSynchronize")

    def create_event(self) -> int:
        """Return a new event."""
        event = c_void_p()
        self.call("EventCreateWithFlags", byref(event), 0)
        return int(event.value or 0)

    def record_event(self, event: int) -> None:
        """Let an event happen when all that was asked for before is done."""
        self.call("EventRecord", event, None)

    def destroy_event(self, event: int) -> None:
        """Give an event back."""
        self.call("EventDestroy", event)

    def elapsed_milliseconds(self, begin: int, end: int) -> float:
        """Wait for the later event, and return the time between two."""
        self.call("EventSynchronize", end)
        value = c_float(0)
        self.call("EventElapsedTime", byref(value), begin, end)
        return float(value.value)

    def _open(self, ordinal: int) -> None:
        self.call("DeviceGet", byref(self._device), ordinal)
        if self.vendor.has_contexts:
            self.call("DevicePrimaryCtxRetain", byref(self._context), self._device)
            self.call("CtxSetCurrent", self._context)
        else:
            self.call("SetDevice", ordinal)

    def _function(self, name: str) -> Any:
        try:
            function = getattr(self._library, self.vendor.calls[name])
        except AttributeError:
            raise DriverNotFound(
                f"the driver has no {self.vendor.calls[name]}: it is too old"
            ) from None
        function.argtypes, function.restype = _SIGNATURES[name], c_int
        return function

    def _asked(self, name: str) -> int:
        value = c_int(0)
        self.call(name, byref(value))
        return int(value.value)

    def _name(self) -> str:
        name = ctypes.create_string_buffer(256)
        self.call("DeviceGetName", name, len(name), self._device)
        return name.value.decode("utf-8", "replace")

    def _gcn_arch(self) -> str:
        """Return the arch with its features: their place in the properties differs between
        versions.
        """
        for call in ("hipGetDevicePropertiesR0600", "hipGetDeviceProperties"):
            function = getattr(self._library, call, None)
            if function is None:
                continue
            properties = ctypes.create_string_buffer(_PROPERTIES)
            function.restype = c_int
            found = (
                None
                if function(properties, self._device)
                else _ARCH.search(b"\0" + properties.raw)
            )
            if found:
                return found.group(1).decode()
        return ""

    def _of_function(self, function: int, attribute: int) -> int:
        value = c_int(0)
        self.call("FuncGetAttribute", byref(value), attribute, function)
        return int(value.value)

    def _error_name(self, number: int) -> str:
        function = getattr(self._library, self.vendor.calls["GetErrorName"])
        if self.vendor.has_contexts:
            text = c_char_p()
            return (
                ""
                if function(number, byref(text))
                else (text.value or b"").decode("utf-8", "replace")
            )
        function.restype = c_char_p
        return (function(number) or b"").decode("utf-8", "replace")


def _opened(vendor: Vendor, library: str) -> ctypes.CDLL:
    said: list[str] = []
    for name in (library,) if library else vendor.libraries:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            said.append(str(error))
    raise DriverNotFound(
        f"no driver of {vendor.name} can be opened: {said[0] if said else ''}"
    )


def allocate_argument(content: bytes) -> Any:
    """Return memory that holds an argument's bytes, aligned for whatever type it has."""
    room = ctypes.create_string_buffer(len(content) + 32)
    shift = -ctypes.addressof(room) % 32
    value = (c_ubyte * max(1, len(content))).from_buffer(room, shift)
    ctypes.memmove(value, content, len(content))
    return value


def open_first_device(vendor: Vendor, library: str = "") -> Driver | None:
    """Return the first device, or `None` where there is none."""
    try:
        return Driver(vendor, library)
    except DriverNotFound:
        return None
    except DriverError as error:
        if error.code in ("no-device", "no-driver"):
            return None
        raise
