"""Run every case of a unit twice in fresh memory, and report line by line."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from .device_buffers import FILL_BYTES, DeviceBuffers
from .driver import Driver, DriverError, DriverNotFound, allocate_argument
from .kernel_launch import (
    LaunchRefused,
    LoadedModule,
    allocate_arguments,
    launch_and_wait,
)
from .manifest import INPUTS_FOLDER, OBJECTS_FOLDER, Job, Launch, Unit
from .vendors import VENDORS

REPORT_FILE, OUTPUTS_FILE = "report", "outputs"


class ResultWriter:
    """What is told of a session, in a folder: lines of JSON, and the bytes that launches left."""

    def __init__(self, folder: Path) -> None:
        self._report: TextIO = (folder / REPORT_FILE).open("a", encoding="utf-8")
        self._outputs: BinaryIO = (folder / OUTPUTS_FILE).open("ab", 0)
        self._size = self._outputs.tell()

    def write_line(self, kind: str, **facts: Any) -> None:
        """Add a line, at once on disk."""
        self._report.write(json.dumps({"what": kind, **facts}) + "\n")
        self._report.flush()

    def write_output(self, content: bytes) -> tuple[int, int]:
        """Keep bytes, and return their place and size."""
        place = self._size
        self._outputs.write(content)
        self._size += len(content)
        return place, len(content)

    def close(self) -> None:
        """Close the files."""
        self._report.close()
        self._outputs.close()


class Session:
    """A device, a unit of a bundle, and where to tell what came of it."""

    def __init__(
        self, folder: Path, unit: Unit, driver: Driver, results: ResultWriter
    ) -> None:
        self.unit, self.driver, self.results = unit, driver, results
        self._folder = folder
        self.image = (folder / OBJECTS_FOLDER / unit.object).read_bytes()

    def run(self) -> bool:
        """Run every case; false where the device is lost to this process."""
        return all(self._case(launch) for launch in self.unit.launches)

    def read_input(self, digest: str) -> bytes:
        """Return bytes that a buffer holds before a launch."""
        return (self._folder / INPUTS_FOLDER / digest).read_bytes()

    def _case(self, launch: Launch) -> bool:
        began = time.monotonic()
        try:
            runs = self._runs(launch)
        except LaunchRefused as refused:
            self.results.write_line(
                "case",
                name=launch.name,
                code=refused.code,
                message=str(refused),
                refused=True,
            )
            return True
        except DriverError as error:
            self.results.write_line(
                "case", name=launch.name, code=error.code, message=str(error)
            )
            return not error.is_device_lost
        self.results.write_line(
            "case",
            name=launch.name,
            code="",
            runs=runs,
            seconds=time.monotonic() - began,
        )
        return True

    def _runs(self, launch: Launch) -> list[dict[str, Any]]:
        held: list[DeviceBuffers] = []
        try:
            return [self._once(launch, fill, held) for fill in FILL_BYTES]
        finally:
            for placed in held:
                release_buffers(placed)

    def _once(
        self, launch: Launch, fill: int, held: list[DeviceBuffers]
    ) -> dict[str, Any]:
        """Run in memory that was given to no run before: the earlier one's is still `held`."""
        placed = DeviceBuffers(self.driver, launch.buffers, self.read_input, fill)
        held.append(placed)
        # a kernel's own globals begin anew, as its cases expect
        loaded = LoadedModule(self.driver, self.image)
        try:
            function = loaded.find_kernel(launch)
            placed.upload()
            launch_and_wait(
                self.driver, function, launch, allocate_arguments(launch, placed)
            )
            contents, broken = placed.read_results()
            late = placed.read_results()[0] != contents
            return {
                "fill": fill,
                "broken": broken,
                "late": late,
                "buffers": [
                    self.write_if_changed(content, before)
                    for content, before in zip(contents, placed.initial_contents)
                ],
            }
        finally:
            unload_module(loaded)

    def write_if_changed(self, content: bytes, before: bytes) -> tuple[int, int] | None:
        """Return where what a buffer holds is kept; `None` where it is as it was before."""
        return None if content == before else self.results.write_output(content)


def release_buffers(device_buffers: DeviceBuffers) -> None:
    """Give memory back, as far as a device that was lost lets it."""
    with contextlib.suppress(DriverError):
        device_buffers.release()


def unload_module(module: LoadedModule) -> None:
    """Unload, as far as a device that was lost lets it."""
    with contextlib.suppress(DriverError):
        module.close()


def open_device(runtime: str, library: str, results: ResultWriter) -> Driver | None:
    """Return the device, and tell of it, or why there is none."""
    try:
        driver = Driver(VENDORS[runtime], library)
        results.write_line("device", code="", **driver.describe())
        return driver
    except DriverNotFound as missing:
        results.write_line("device", code="no-driver", message=str(missing))
    except DriverError as error:
        results.write_line("device", code=error.code, message=str(error))
    return None


def check_health(folder: Path, job: Job, driver: Driver) -> str:
    """Run a known kernel, and return what is wrong; empty where the device does as it ought to."""
    if job.health is None:
        return check_memory(driver)
    digest, symbol = job.health
    before = list(range(64))
    place = driver.allocate(256)
    driver.write(place, _words(before))
    module = driver.load_module((folder / OBJECTS_FOLDER / digest).read_bytes())
    launch = Launch("health", symbol, (1, 1, 1), (64, 1, 1))
    launch_and_wait(
        driver,
        driver.find_kernel(module, symbol),
        launch,
        [allocate_argument(place.to_bytes(8, "little"))],
    )
    left = driver.read(place, 256)
    driver.unload_module(module)
    driver.free(place)
    return (
        ""
        if left == _words(each + 1 for each in before)
        else "a kernel that adds 1 gave something else"
    )


def check_memory(driver: Driver) -> str:
    """Return what is wrong with the device's memory; empty where it holds what is written to it."""
    place = driver.allocate(256)
    driver.fill(place, 0x3C, 256)
    left = driver.read(place, 256)
    driver.free(place)
    return "" if left == b"\x3c" * 256 else "memory does not hold what is written to it"


def _words(numbers: Iterable[int]) -> bytes:
    return b"".join(each.to_bytes(4, "little") for each in numbers)
