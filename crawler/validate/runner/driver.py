"""One GPU, opened by its vendor's driver: memory, modules, launches and events."""

from __future__ import annotations

import contextlib
import ctypes
import re
from collections.abc import Sequence
from ctypes import byref, c_float, c_int, c_size_t, c_ubyte, c_void_p
from typing import Any

from .driver_calls import DriverCalls, DriverError, DriverNotFound
from .vendors import Vendor

# Attributes of a kernel, as CUfunction_attribute and hipFunction_attribute number them.
_MAX_THREADS_PER_BLOCK = 0
_STATIC_SHARED_BYTES = 1
_MAX_DYNAMIC_SHARED_BYTES = 8
_NO_DEVICE_ERROR = 100
_PROPERTIES_BYTES = 1 << 16
"""Bytes that hold any version of a device's properties."""
# searched in the bytes of HIP's device properties, whose layout differs between versions
_GCN_ARCH = re.compile(rb"\0(gfx[0-9a-f]{3,5}(?::[a-z]+[+-])*)\0")
_ARGUMENT_ALIGNMENT = 32


class Driver(DriverCalls):
    """One device, opened."""

    def __init__(self, vendor: Vendor, library: str = "", ordinal: int = 0) -> None:
        super().__init__(vendor, library)
        self._device = c_int(0)
        self._context = c_void_p()
        self.call("Init", 0)
        self.device_count = self._query_integer("GetDeviceCount")
        if self.device_count <= ordinal:
            raise DriverError("GetDeviceCount", _NO_DEVICE_ERROR, "no device")

        self._open_device(ordinal)

    def close(self) -> None:
        """Give the device back."""
        # CUDA retains a primary context for each process.
        if self.vendor.has_contexts:
            self.call("DevicePrimaryCtxRelease", self._device)

    def attribute(self, name: str) -> int:
        """Return a property of the device, 0 where it does not know it."""
        value = c_int(0)
        # An attribute that a driver does not know is no reason to fail.
        function = self.function("DeviceGetAttribute")
        error = function(byref(value), self.vendor.attributes[name], self._device)

        return 0 if error else int(value.value)

    def arch(self) -> str:
        """Return the offload arch: `gfx942`, `sm_90`."""
        if self.vendor.has_contexts:
            return f"sm_{self.attribute('major')}{self.attribute('minor')}"

        return self._gcn_arch().partition(":")[0]

    def describe(self) -> dict[str, Any]:
        """Return the properties of the device."""
        free_bytes, total_bytes = self.free_and_total_memory()
        features = ""
        if not self.vendor.has_contexts:
            features = self._gcn_arch().partition(":")[2]

        properties: dict[str, Any] = {
            "runtime": self.vendor.name,
            "name": self._device_name(),
            "arch": self.arch(),
            "features": features,
            "driver": self._query_integer("DriverGetVersion"),
            "devices": self.device_count,
            "memory_bytes": total_bytes,
            "free_bytes": free_bytes,
        }

        for name in self.vendor.attributes:
            properties[name] = self.attribute(name)

        return properties

    def free_and_total_memory(self) -> tuple[int, int]:
        """Return free and total bytes."""
        free_bytes = c_size_t(0)
        total_bytes = c_size_t(0)
        self.call("MemGetInfo", byref(free_bytes), byref(total_bytes))

        return int(free_bytes.value), int(total_bytes.value)

    def allocate(self, size: int) -> int:
        """Return the address of new memory."""
        address = c_void_p()
        # Drivers refuse a size of 0.
        self.call("Malloc", byref(address), max(size, 1))

        return int(address.value or 0)

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

    def release_cache(self) -> None:
        """Let go of what kernels asked the cache to keep; nothing where a device has no such part.

        Source: CUDA C++ Programming Guide, "L2 Persistence": lines that an access marks stay while
        others are evicted, until they are reset. AMD's caches have none.
        """
        if "CtxResetPersistingL2Cache" not in self.vendor.calls:
            return
        # a driver before CUDA 11, or a device before Ampere
        with contextlib.suppress(DriverNotFound, DriverError):
            self.call("CtxResetPersistingL2Cache")

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
        return self._function_attribute(function, _STATIC_SHARED_BYTES)

    def max_threads(self, function: int) -> int:
        """Return how many threads a block of a kernel may have; 0 where it is not known."""
        return self._function_attribute(function, _MAX_THREADS_PER_BLOCK)

    def allow_dynamic_shared(self, function: int, size: int) -> None:
        """Ask for more dynamic shared memory than is usual, where that has to be asked for."""
        if self.vendor.has_contexts:
            self.call("FuncSetAttribute", function, _MAX_DYNAMIC_SHARED_BYTES, size)

    def launch(
        self,
        function: int,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        values: Sequence[Any],
    ) -> None:
        """Launch a kernel; `values` hold its arguments, each in memory of its own."""
        # The driver takes an array of pointers to the arguments.
        addresses = [ctypes.addressof(value) for value in values]
        pointers = (c_void_p * max(1, len(addresses)))(*addresses)
        default_stream = None
        extra_options = None
        self.call(
            "ModuleLaunchKernel",
            function,
            *grid,
            *block,
            shared_bytes,
            default_stream,
            pointers,
            extra_options,
        )

    def synchronise(self) -> None:
        """Wait until the device has done all work; raises the error of what failed meanwhile."""
        self.call("DeviceSynchronize")

    def create_event(self) -> int:
        """Return a new event."""
        event = c_void_p()
        self.call("EventCreateWithFlags", byref(event), 0)

        return int(event.value or 0)

    def record_event(self, event: int) -> None:
        """Let an event happen when all work that was submitted before is done."""
        self.call("EventRecord", event, None)

    def destroy_event(self, event: int) -> None:
        """Give an event back."""
        self.call("EventDestroy", event)

    def elapsed_milliseconds(self, begin: int, end: int) -> float:
        """Wait for the later event, and return the time between two."""
        self.call("EventSynchronize", end)
        milliseconds = c_float(0)
        self.call("EventElapsedTime", byref(milliseconds), begin, end)

        return float(milliseconds.value)

    def _open_device(self, ordinal: int) -> None:
        self.call("DeviceGet", byref(self._device), ordinal)
        if self.vendor.has_contexts:
            self.call("DevicePrimaryCtxRetain", byref(self._context), self._device)
            self.call("CtxSetCurrent", self._context)
        else:
            self.call("SetDevice", ordinal)

    def _query_integer(self, name: str) -> int:
        value = c_int(0)
        self.call(name, byref(value))

        return int(value.value)

    def _device_name(self) -> str:
        name = ctypes.create_string_buffer(256)
        self.call("DeviceGetName", name, len(name), self._device)

        return name.value.decode("utf-8", "replace")

    def _gcn_arch(self) -> str:
        """Return the arch with its features: `gfx90a:sramecc+:xnack-`; empty if unknown.

        It is searched for in the bytes of the properties, because the structure's layout
        differs between versions of HIP.
        """
        for call in ("hipGetDevicePropertiesR0600", "hipGetDeviceProperties"):
            function = getattr(self.library, call, None)
            if function is None:
                continue

            properties = ctypes.create_string_buffer(_PROPERTIES_BYTES)
            function.restype = c_int
            if function(properties, self._device):
                continue

            arch = _GCN_ARCH.search(b"\0" + properties.raw)
            if arch:
                return arch.group(1).decode()

        return ""

    def _function_attribute(self, function: int, attribute: int) -> int:
        value = c_int(0)
        self.call("FuncGetAttribute", byref(value), attribute, function)

        return int(value.value)


def pack_argument(content: bytes) -> Any:
    """Return memory that holds an argument's bytes, aligned for whatever type it has."""
    memory = ctypes.create_string_buffer(len(content) + _ARGUMENT_ALIGNMENT)
    # From the first aligned address within the memory on.
    offset = -ctypes.addressof(memory) % _ARGUMENT_ALIGNMENT
    value = (c_ubyte * max(1, len(content))).from_buffer(memory, offset)
    ctypes.memmove(value, content, len(content))

    return value
