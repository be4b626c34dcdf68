"""Launch one case, after a check against the device's limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .device_buffers import DeviceBuffers
from .driver import Driver, pack_argument
from .manifest import Launch

_DEFAULT_SHARED_BYTES = 48 << 10
"""Shared memory that a launch of NVIDIA's may use without asking for more."""
_AXES = ("x", "y", "z")


class LaunchRefused(Exception):
    """A launch that this device cannot hold."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class LoadedModule:
    """A module on the device."""

    def __init__(self, driver: Driver, image: bytes) -> None:
        self._driver = driver
        self._module = driver.load_module(image)

    def find_kernel(self, launch: Launch) -> int:
        """Return a case's kernel; raises `LaunchRefused` where this device cannot run it so."""
        function = self._driver.find_kernel(self._module, launch.symbol)
        check_launch_limits(self._driver, function, launch)

        return function

    def close(self) -> None:
        """Unload it."""
        self._driver.unload_module(self._module)


def check_launch_limits(driver: Driver, function: int, launch: Launch) -> None:
    """Raise `LaunchRefused` where a launch exceeds a limit of the device.

    Drivers report such launches with various errors, some of which look like a fault.
    """
    # Shared memory that the kernel declares counts beside what the launch asks for.
    static_bytes = driver.static_shared_bytes(function)
    _check_shared_memory(driver, static_bytes, launch)
    _check_block_size(driver, function, launch)

    for axis, blocks, threads in zip(_AXES, launch.grid, launch.block):
        _check_axis(driver, f"grid_{axis}", blocks)
        _check_axis(driver, f"block_{axis}", threads)

    if launch.shared_bytes + static_bytes > _DEFAULT_SHARED_BYTES:
        driver.allow_dynamic_shared(function, launch.shared_bytes)


def pack_arguments(launch: Launch, device_buffers: DeviceBuffers) -> list[Any]:
    """Return the memory of each argument."""
    values = []
    for argument in launch.arguments:
        content = device_buffers.resolve_pointers(argument.content, argument.links)
        values.append(pack_argument(content))

    return values


def launch_and_wait(
    driver: Driver, function: int, launch: Launch, values: Sequence[Any]
) -> None:
    """Launch, and wait until the whole device is done."""
    driver.launch(function, launch.grid, launch.block, launch.shared_bytes, values)
    driver.synchronise()


def _check_shared_memory(driver: Driver, static_bytes: int, launch: Launch) -> None:
    usual_limit = driver.attribute("shared_per_block")
    requested_limit = driver.attribute("shared_per_block_optin")
    limit = max(usual_limit, requested_limit)
    shared_bytes = static_bytes + launch.shared_bytes

    if limit and shared_bytes > limit:
        message = (
            f"{static_bytes} bytes of its own and {launch.shared_bytes} of the launch "
            f"are more than {limit}"
        )

        raise LaunchRefused("shared-memory", message)


def _check_block_size(driver: Driver, function: int, launch: Launch) -> None:
    x, y, z = launch.block
    threads = x * y * z
    device_limit = driver.attribute("threads_per_block")
    kernel_limit = driver.max_threads(function)

    for limit in sorted((device_limit, kernel_limit)):
        # A limit of 0 is not known.
        if limit and threads > limit:
            message = f"{threads} threads a block are more than {limit}"
            raise LaunchRefused("block-size", message)


def _check_axis(driver: Driver, name: str, size: int) -> None:
    limit = driver.attribute(name)
    if limit and size > limit:
        code = name.replace("_", "-")
        message = f"{size} is more than {limit}"
        raise LaunchRefused(code, message)
