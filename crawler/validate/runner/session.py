"""All cases of a bundle, each run twice in fresh memory; what came of it is told line by line."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from .driver import Driver, DriverError, NoDriver, value_of
from .launching import Loaded, Refused, arguments, launched
from .manifest import INPUTS, OBJECTS, Job, Launch, Unit
from .memory import FILLS, Placed
from .vendors import VENDORS

REPORT, OUTPUTS = "report", "outputs"


class Results:
    """What is told of a session, in a folder: lines of JSON, and the bytes that launches left."""

    def __init__(self, folder: Path) -> None:
        self._report: TextIO = (folder / REPORT).open("a", encoding="utf-8")
        self._outputs: BinaryIO = (folder / OUTPUTS).open("ab", 0)
        self._size = self._outputs.tell()

    def tell(self, what: str, **facts: Any) -> None:
        """Add a line, at once on disk."""
        self._report.write(json.dumps({"what": what, **facts}) + "\n")
        self._report.flush()

    def keep(self, content: bytes) -> tuple[int, int]:
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

    def __init__(self, folder: Path, unit: Unit, driver: Driver, results: Results) -> None:
        self.unit, self.driver, self.results = unit, driver, results
        self._folder = folder
        self.image = (folder / OBJECTS / unit.object).read_bytes()

    def run(self) -> bool:
        """Run every case; false where the device is lost to this process."""
        return all(self._case(launch) for launch in self.unit.launches)

    def content(self, digest: str) -> bytes:
        """Return bytes that a buffer holds before a launch."""
        return (self._folder / INPUTS / digest).read_bytes()

    def _case(self, launch: Launch) -> bool:
        began = time.monotonic()
        try:
            runs = self._runs(launch)
        except Refused as refused:
            self.results.tell("case", name=launch.name, code=refused.code, message=str(refused), refused=True)
            return True
        except DriverError as error:
            self.results.tell("case", name=launch.name, code=error.code, message=str(error))
            return not error.is_final
        self.results.tell("case", name=launch.name, code="", runs=runs, seconds=time.monotonic() - began)
        return True

    def _runs(self, launch: Launch) -> list[dict[str, Any]]:
        held: list[Placed] = []
        try:
            return [self._once(launch, fill, held) for fill in FILLS]
        finally:
            for placed in held:
                release(placed)

    def _once(self, launch: Launch, fill: int, held: list[Placed]) -> dict[str, Any]:
        """Run in memory that was given to no run before: the earlier one's is still `held`."""
        placed = Placed(self.driver, launch.buffers, self.content, fill)
        held.append(placed)
        # a kernel's own globals begin anew, as its cases expect
        loaded = Loaded(self.driver, self.image)
        try:
            function = loaded.kernel(launch)
            placed.upload()
            launched(self.driver, function, launch, arguments(launch, placed))
            contents, broken = placed.after()
            late = placed.after()[0] != contents
            return {
                "fill": fill,
                "broken": broken,
                "late": late,
                "buffers": [self.kept(content, before) for content, before in zip(contents, placed.before)],
            }
        finally:
            close(loaded)

    def kept(self, content: bytes, before: bytes) -> tuple[int, int] | None:
        """Return where what a buffer holds is kept; `None` where it is as it was before."""
        return None if content == before else self.results.keep(content)


def release(placed: Placed) -> None:
    """Give memory back, as far as a device that was lost lets it."""
    with contextlib.suppress(DriverError):
        placed.release()


def close(loaded: Loaded) -> None:
    """Unload, as far as a device that was lost lets it."""
    with contextlib.suppress(DriverError):
        loaded.close()


def opened(runtime: str, library: str, results: Results) -> Driver | None:
    """Return the device, and tell of it, or why there is none."""
    try:
        driver = Driver(VENDORS[runtime], library)
        results.tell("device", code="", **driver.describe())
        return driver
    except NoDriver as missing:
        results.tell("device", code="no-driver", message=str(missing))
    except DriverError as error:
        results.tell("device", code=error.code, message=str(error))
    return None


def health(folder: Path, job: Job, driver: Driver) -> str:
    """Run a known kernel, and return what is wrong; empty where the device does as it ought to."""
    if job.health is None:
        return echo(driver)
    digest, symbol = job.health
    before = list(range(64))
    place = driver.allocate(256)
    driver.write(place, _words(before))
    module = driver.load((folder / OBJECTS / digest).read_bytes())
    launch = Launch("health", symbol, (1, 1, 1), (64, 1, 1))
    launched(driver, driver.entry(module, symbol), launch, [value_of(place.to_bytes(8, "little"))])
    left = driver.read(place, 256)
    driver.unload(module)
    driver.free(place)
    return "" if left == _words(each + 1 for each in before) else "a kernel that adds 1 gave something else"


def echo(driver: Driver) -> str:
    """Return what is wrong with the device's memory; empty where it holds what is written to it."""
    place = driver.allocate(256)
    driver.fill(place, 0x3C, 256)
    left = driver.read(place, 256)
    driver.free(place)
    return "" if left == b"\x3c" * 256 else "memory does not hold what is written to it"


def _words(numbers: Iterable[int]) -> bytes:
    return b"".join(each.to_bytes(4, "little") for each in numbers)
