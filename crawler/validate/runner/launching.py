"""One case launched: refused before where the device cannot hold it, looked at after whatever the driver says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .driver import Driver, value_of
from .manifest import Launch
from .memory import Placed

_USUAL_SHARED = 48 << 10
_AXES = ("x", "y", "z")


class Refused(Exception):
    """A launch that this device cannot hold."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Loaded:
    """A module, and the kernels that were asked of it."""

    def __init__(self, driver: Driver, image: bytes) -> None:
        self._driver, self._module = driver, driver.load(image)

    def kernel(self, launch: Launch) -> int:
        """Return a case's kernel; raises `Refused` where this device cannot run it so."""
        function = self._driver.entry(self._module, launch.symbol)
        check(self._driver, function, launch)
        return function

    def close(self) -> None:
        """Unload it."""
        self._driver.unload(self._module)


def check(driver: Driver, function: int, launch: Launch) -> None:
    """Raise `Refused` where a launch is over a limit, whatever the driver would make of it."""
    static = driver.static_shared(function)
    most = max(driver.attribute("shared_per_block"), driver.attribute("shared_per_block_optin"))
    if most and static + launch.shared_bytes > most:
        told = f"{static} bytes of its own and {launch.shared_bytes} of the launch are more than {most}"
        raise Refused("shared-memory", told)
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    limits = [each for each in (driver.attribute("threads_per_block"), driver.most_threads(function)) if each]
    if limits and threads > min(limits):
        raise Refused("block-size", f"{threads} threads a block are more than {min(limits)}")
    for axis, blocks, wide in zip(_AXES, launch.grid, launch.block):
        _check_axis(driver, f"grid_{axis}", blocks)
        _check_axis(driver, f"block_{axis}", wide)
    if launch.shared_bytes + static > _USUAL_SHARED:
        driver.allow_shared(function, launch.shared_bytes)


def _check_axis(driver: Driver, name: str, size: int) -> None:
    most = driver.attribute(name)
    if most and size > most:
        raise Refused(name.replace("_", "-"), f"{size} is more than {most}")


def arguments(launch: Launch, placed: Placed) -> list[Any]:
    """Return the memory of each argument."""
    return [value_of(placed.linked(each.content, each.links)) for each in launch.arguments]


def launched(driver: Driver, function: int, launch: Launch, values: Sequence[Any]) -> None:
    """Launch, and wait until the whole device is done."""
    driver.launch(function, launch.grid, launch.block, launch.shared_bytes, values)
    driver.wait()
