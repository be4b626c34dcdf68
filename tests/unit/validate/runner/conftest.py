"""A device of either vendor in the tests' own process: a library that stands for its driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from crawler.model import Case
from crawler.validate.bundle.kernel_symbols import Entry
from crawler.validate.bundle.manifest import BundledUnit
from crawler.validate.devices.unit_runs import RunOptions, write_job
from crawler.validate.runner.driver import Driver
from crawler.validate.runner.vendors import VENDORS
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import drivers, kernels
from tests.stand_ins.bench import DIALECTS

OpenDriver = Callable[..., Driver]
WriteFolder = Callable[..., Path]


@pytest.fixture(autouse=True)
def end_devices() -> Iterator[None]:
    """End the processes that stand for devices: the library that forks them stays loaded."""
    earlier_children = set(psutil.Process().children())
    yield
    for child in psutil.Process().children():
        if child not in earlier_children:
            child.kill()
            child.wait(10)


@pytest.fixture
def open_driver(tmp_path: Path) -> Iterator[OpenDriver]:
    """Open a device with settings such as `memory` or `fail`; it is closed after the test."""
    opened: list[Driver] = []

    def open_with_settings(runtime: str = "rocm", **settings: object) -> Driver:
        folder = tmp_path / f"driver-{len(opened)}"
        library = drivers.install(folder, runtime, **{"l2": 1 << 16, **settings})
        driver = Driver(VENDORS[runtime], str(library))
        opened.append(driver)
        return driver

    yield open_with_settings
    for driver in opened:
        driver.close()


@pytest.fixture
def write_folder(tmp_path: Path) -> WriteFolder:
    """Write a bundle of one unit: an object of raw kernels, by their symbols, and its cases."""

    def write(
        cases: Sequence[Case],
        blobs: Blobs,
        symbols: Sequence[str] = ("honest",),
        runtime: str = "rocm",
        options: RunOptions | None = None,
    ) -> Path:
        dialect = DIALECTS[runtime]
        unit = BundledUnit(
            unit="unit",
            kernel_name="k",
            dialect=dialect.value,
            target="gfx90a",
            form="code",
            object=blobs.put(drivers.raw_object()),
            entries=tuple(Entry(label="", symbol=symbol) for symbol in symbols),
            suite=kernels.suite(kernels.unit(dialect), cases),
        )
        folder = tmp_path / "bundle"
        folder.mkdir()
        write_job([unit], blobs.get, options or RunOptions(), folder)
        return folder

    return write
