"""Run every case of a unit twice in fresh memory, and report line by line."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from .device_buffers import FILL_BYTES, DeviceBuffers
from .driver import Driver, pack_argument
from .driver_calls import DriverError, DriverNotFound
from .kernel_launch import (
    LaunchRefused,
    LoadedModule,
    launch_and_wait,
    pack_arguments,
)
from .manifest import INPUTS_FOLDER, OBJECTS_FOLDER, Job, Launch, Unit
from .vendors import VENDORS

REPORT_FILE = "report"
OUTPUTS_FILE = "outputs"
_HEALTH_THREADS = 64
_WORD_BYTES = 4
_CHECK_BYTES = _HEALTH_THREADS * _WORD_BYTES
_CHECK_BYTE = 0x3C


class ResultWriter:
    """The report of a unit in a folder: lines of JSON, and the bytes that launches left."""

    def __init__(self, folder: Path) -> None:
        self._report: TextIO = (folder / REPORT_FILE).open("a", encoding="utf-8")
        self._outputs: BinaryIO = (folder / OUTPUTS_FILE).open("ab", 0)
        self._size = self._outputs.tell()

    def write_line(self, kind: str, **facts: Any) -> None:
        """Add a line, at once on disk."""
        self._report.write(json.dumps({"what": kind, **facts}) + "\n")
        # The process may be killed by what comes next.
        self._report.flush()

    def write_output(self, content: bytes) -> tuple[int, int]:
        """Keep bytes, and return their offset and size."""
        offset = self._size
        self._outputs.write(content)
        self._size += len(content)

        return offset, len(content)

    def close(self) -> None:
        """Close the files."""
        self._report.close()
        self._outputs.close()


class Session:
    """A device, a unit of a bundle, and the report of its cases."""

    def __init__(
        self, folder: Path, unit: Unit, driver: Driver, results: ResultWriter
    ) -> None:
        self.unit = unit
        self.driver = driver
        self.results = results
        self._folder = folder
        self.image = (folder / OBJECTS_FOLDER / unit.object).read_bytes()

    def run(self) -> bool:
        """Run every case; false where the device is lost to this process."""
        return all(self._run_case(launch) for launch in self.unit.launches)

    def read_input(self, digest: str) -> bytes:
        """Return the bytes that a buffer holds before a launch."""
        return (self._folder / INPUTS_FOLDER / digest).read_bytes()

    def write_if_changed(self, content: bytes, before: bytes) -> tuple[int, int] | None:
        """Keep the content of a buffer, and return its span; `None` where nothing changed."""
        if content == before:
            return None

        return self.results.write_output(content)

    def _run_case(self, launch: Launch) -> bool:
        start = time.monotonic()
        try:
            launch_results = self._run_with_each_fill(launch)
        except LaunchRefused as refusal:
            self.results.write_line(
                "case",
                name=launch.name,
                code=refusal.code,
                message=str(refusal),
                refused=True,
            )

            return True
        except DriverError as error:
            self.results.write_line(
                "case", name=launch.name, code=error.code, message=str(error)
            )
            # Other cases can still run unless the device is lost to this process.
            return not error.is_device_lost

        self.results.write_line(
            "case",
            name=launch.name,
            code="",
            runs=launch_results,
            seconds=time.monotonic() - start,
        )

        return True

    def _run_with_each_fill(self, launch: Launch) -> list[dict[str, Any]]:
        # All buffers are released at the end: no run gets the memory of an earlier one.
        held_buffers: list[DeviceBuffers] = []
        try:
            return [self._run_launch(launch, fill, held_buffers) for fill in FILL_BYTES]
        finally:
            for device_buffers in held_buffers:
                release_buffers(device_buffers)

    def _run_launch(
        self, launch: Launch, fill: int, held_buffers: list[DeviceBuffers]
    ) -> dict[str, Any]:
        """Run a case in new memory, which is added to `held_buffers`."""
        device_buffers = DeviceBuffers(
            self.driver, launch.buffers, self.read_input, fill
        )
        held_buffers.append(device_buffers)

        # A module of its own: the kernel's globals begin anew, as its cases expect.
        module = LoadedModule(self.driver, self.image)
        try:
            function = module.find_kernel(launch)
            device_buffers.upload()
            values = pack_arguments(launch, device_buffers)
            launch_and_wait(self.driver, function, launch, values)

            contents, broken = device_buffers.read_results()
            # Work on another stream may still write after the device has reported completion.
            contents_later, _ = device_buffers.read_results()
            spans = [
                self.write_if_changed(content, before)
                for content, before in zip(contents, device_buffers.initial_contents)
            ]

            return {
                "fill": fill,
                "broken": broken,
                "late": contents_later != contents,
                "buffers": spans,
            }
        finally:
            unload_module(module)


def release_buffers(device_buffers: DeviceBuffers) -> None:
    """Give memory back, as far as a device that was lost lets it."""
    with contextlib.suppress(DriverError):
        device_buffers.release()


def unload_module(module: LoadedModule) -> None:
    """Unload, as far as a device that was lost lets it."""
    with contextlib.suppress(DriverError):
        module.close()


def open_device(runtime: str, library: str, results: ResultWriter) -> Driver | None:
    """Return the device, and report its properties, or why there is none."""
    try:
        driver = Driver(VENDORS[runtime], library)
        results.write_line(
            "device",
            code="",
            **driver.describe(),
        )

        return driver
    except DriverNotFound as error:
        results.write_line(
            "device",
            code="no-driver",
            message=str(error),
        )
    except DriverError as error:
        results.write_line(
            "device",
            code=error.code,
            message=str(error),
        )

    return None


def check_health(folder: Path, job: Job, driver: Driver) -> str:
    """Run a known kernel, and return what is wrong; empty where it gives the right result.

    Without such a kernel the device's memory is checked alone.
    """
    if job.health is None:
        return check_memory(driver)

    digest, symbol = job.health
    # Each thread adds 1 to its own number.
    numbers = range(_HEALTH_THREADS)
    address = driver.allocate(_CHECK_BYTES)
    driver.write(address, _pack_words(numbers))
    module = driver.load_module((folder / OBJECTS_FOLDER / digest).read_bytes())
    launch = Launch("health", symbol, (1, 1, 1), (_HEALTH_THREADS, 1, 1))
    function = driver.find_kernel(module, symbol)
    argument = pack_argument(address.to_bytes(8, "little"))
    launch_and_wait(driver, function, launch, [argument])

    content = driver.read(address, _CHECK_BYTES)
    driver.unload_module(module)
    driver.free(address)
    if content != _pack_words(number + 1 for number in numbers):
        return "a kernel that adds 1 gave something else"

    return ""


def check_memory(driver: Driver) -> str:
    """Return what is wrong with the device's memory; empty where it holds what is written."""
    address = driver.allocate(_CHECK_BYTES)
    driver.fill(address, _CHECK_BYTE, _CHECK_BYTES)
    content = driver.read(address, _CHECK_BYTES)
    driver.free(address)
    if content != bytes([_CHECK_BYTE]) * _CHECK_BYTES:
        return "memory does not hold what is written to it"

    return ""


def _pack_words(numbers: Iterable[int]) -> bytes:
    return b"".join(number.to_bytes(_WORD_BYTES, "little") for number in numbers)
