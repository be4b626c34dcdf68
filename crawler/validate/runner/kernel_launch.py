"""Launch one case, after a check against the device's limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .device_buffers import DeviceBuffers
from .driver import Driver, allocate_argument
from .manifest import Launch

_USUAL_SHARED = 48 << 10
_AXES = ("x", "y", "z")


class LaunchRefused(Exception):
    """A launch that this device cannot hold."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class LoadedModule:
    """A module, and the kernels that were asked of it."""

    def __init__(self, driver: Driver, image: bytes) -> None:
        self._driver, self._module = driver, driver.load_module(image)

    def find_kernel(self, launch: Launch) -> int:
        """Return a case's kernel; raises `Refused` where this device cannot run it so."""
        function = self._driver.find_kernel(self._module, launch.symbol)
        check_launch_limits(self._driver, function, launch)
        return function

    def close(self) -> None:
        """Unload it."""
        self._driver.unload_module(self._module)


def check_launch_limits(driver: Driver, function: int, launch: Launch) -> None:
    """Raise `Refused` where a launch is over a limit, whatever the driver would make of it."""
    static = driver.static_shared_bytes(function)
    most = max(
        driver.attribute("shared_per_block"), driver.attribute("shared_per_block_optin")
    )
    if most and static + launch.shared_bytes > most:
        told = f"{static} bytes of its own and {launch.shared_bytes} of the launch are more than {most}"
        raise LaunchRefused("shared-memory", told)
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    limits = [
        each
        for each in (
            driver.attribute("threads_per_block"),
            driver.max_threads(function),
        )
        if each
    ]
    if limits and threads > min(limits):
        raise LaunchRefused(
            "block-size", f"{threads} threads a block are more than {min(limits)}"
        )
    for axis, blocks, wide in zip(_AXES, launch.grid, launch.block):
        _check_axis(driver, f"grid_{axis}", blocks)
        _check_axis(driver, f"block_{axis}", wide)
    if launch.shared_bytes + static > _USUAL_SHARED:
        driver.allow_dynamic_shared(function, launch.shared_bytes)


def _check_axis(driver: Driver, name: str, size: int) -> None:
    most = driver.attribute(name)
    if most and size > most:
        raise LaunchRefused(name.replace("_", "-"), f"{size} is more than {most}")


def allocate_arguments(launch: Launch, device_buffers: DeviceBuffers) -> list[Any]:
    """Return the memory of each argument."""
    return [
        allocate_argument(device_buffers.resolve_pointers(each.content, each.links))
        for each in launch.arguments
    ]


def launch_and_wait(
    driver: Driver, function: int, launch: Launch, values: Sequence[Any]
) -> None:
    """Launch, and wait until the whole device is done."""
    driver.launch(function, launch.grid, launch.block, launch.shared_bytes, values)
    driver.synchronise()
