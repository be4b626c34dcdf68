"""Every case of a unit on a device, and what the report says of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.validate.runner.driver import Driver
from crawler.validate.runner.manifest import Job, read_units
from crawler.validate.runner.session import (
    OUTPUTS_FILE,
    REPORT_FILE,
    ResultWriter,
    Session,
    check_health,
    check_memory,
    open_device,
)
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import drivers, kernels
from tests.stand_ins.kernels import Does

pytestmark = pytest.mark.apt

OpenDriver = Callable[..., Driver]
WriteFolder = Callable[..., Path]


def read_lines(folder: Path) -> list[dict[str, Any]]:
    text = (folder / REPORT_FILE).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def run_folder(
    bundle: Path, driver: Driver, results_folder: Path
) -> tuple[bool, list[dict[str, Any]]]:
    """Run the bundle's unit; return whether the device is left, and the report."""
    results_folder.mkdir()
    results = ResultWriter(results_folder)
    (unit,) = read_units(bundle)
    is_usable = Session(bundle, unit, driver, results).run()
    results.close()
    return is_usable, read_lines(results_folder)


def test_each_case_is_run_with_each_fill_and_leaves_its_outputs(
    open_driver: OpenDriver, write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    case = kernels.case(Does.ITS_WORK, blobs, n=5)
    bundle = write_folder([case], blobs)

    is_usable, (line,) = run_folder(bundle, open_driver(), tmp_path / "results")

    assert is_usable
    assert (line["what"], line["name"], line["code"]) == ("case", "ordinary", "")
    assert [run["fill"] for run in line["runs"]] == [0xFF, 0x5A]
    gold = blobs.get(case.buffers[1].gold)
    outputs = (tmp_path / "results" / OUTPUTS_FILE).read_bytes()
    for run in line["runs"]:
        assert (run["broken"], run["late"]) == ([], False)
        unchanged, (offset, size) = run["buffers"]
        assert unchanged is None
        assert outputs[offset : offset + size] == gold


def test_no_case_leaves_memory_taken(
    open_driver: OpenDriver, write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    cases = [
        kernels.case(Does.ITS_WORK, blobs, name="fits"),
        kernels.case(Does.ITS_WORK, blobs, name="refused", shared_bytes=1 << 20),
    ]
    driver = open_driver()
    free_before = driver.free_and_total_memory()
    run_folder(write_folder(cases, blobs), driver, tmp_path / "results")
    assert driver.free_and_total_memory() == free_before


def test_a_refused_case_stops_no_other(
    open_driver: OpenDriver, write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    cases = [
        kernels.case(Does.ITS_WORK, blobs, name="refused", shared_bytes=1 << 20),
        replace(kernels.case(Does.ITS_WORK, blobs, name="nameless"), entry=1),
        kernels.case(Does.ITS_WORK, blobs, name="fits"),
    ]
    bundle = write_folder(cases, blobs, symbols=("honest", "nobody"))

    is_usable, lines = run_folder(bundle, open_driver(), tmp_path / "results")

    assert is_usable
    codes = {line["name"]: line["code"] for line in lines}
    assert codes == {
        "refused": "shared-memory",
        "nameless": "entry-missing",
        "fits": "",
    }
    assert [line.get("refused", False) for line in lines] == [True, False, False]


@pytest.mark.parametrize("runtime", ["rocm", "cuda"])
def test_a_lost_device_ends_the_unit(
    open_driver: OpenDriver, write_folder: WriteFolder, tmp_path: Path, runtime: str
) -> None:
    blobs = Blobs()
    cases = [
        kernels.case(Does.ITS_WORK, blobs, name="faulty"),
        kernels.case(Does.ITS_WORK, blobs, name="later"),
    ]
    bundle = write_folder(cases, blobs, symbols=("fails",), runtime=runtime)
    is_usable, (line,) = run_folder(bundle, open_driver(runtime), tmp_path / "results")
    assert not is_usable
    assert (line["name"], line["code"]) == ("faulty", "launch-failed")


def test_results_of_a_second_process_follow_those_of_the_first(tmp_path: Path) -> None:
    first = ResultWriter(tmp_path)
    assert first.write_output(b"abc") == (0, 3)
    first.write_line("case", name="a")
    first.close()
    second = ResultWriter(tmp_path)
    assert second.write_output(b"de") == (3, 2)
    second.write_line("end", exit=0)
    second.close()
    assert (tmp_path / OUTPUTS_FILE).read_bytes() == b"abcde"
    assert [line["what"] for line in read_lines(tmp_path)] == ["case", "end"]


def test_a_line_is_on_disk_before_the_process_goes_on(tmp_path: Path) -> None:
    results = ResultWriter(tmp_path)
    results.write_line("case", name="a\nb")
    results.write_output(b"x")
    assert read_lines(tmp_path) == [{"what": "case", "name": "a\nb"}]
    assert (tmp_path / OUTPUTS_FILE).read_bytes() == b"x"
    results.close()


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({}, ""),
        ({"devices": 0}, "no-device"),
        ({"fail": "Init:1:3"}, "no-driver"),
        ({"fail": "SetDevice:1:46"}, "device-unavailable"),
    ],
)
def test_a_device_that_opens_or_does_not_is_reported(
    tmp_path: Path, settings: dict[str, object], code: str
) -> None:
    library = drivers.install(tmp_path / "driver", "rocm", **settings)
    results = ResultWriter(tmp_path)
    driver = open_device("rocm", str(library), results)
    results.close()
    (line,) = read_lines(tmp_path)
    assert (line["what"], line["code"]) == ("device", code)
    assert (driver is None) is bool(code)
    assert ("message" in line) is bool(code)
    if driver:
        driver.close()


def test_a_missing_library_is_no_driver(tmp_path: Path) -> None:
    results = ResultWriter(tmp_path)
    assert open_device("cuda", str(tmp_path / "none.so"), results) is None
    results.close()
    (line,) = read_lines(tmp_path)
    assert line["code"] == "no-driver"
    assert "no driver of cuda" in line["message"]


def test_memory_that_holds_what_is_written_is_healthy(
    open_driver: OpenDriver, tmp_path: Path
) -> None:
    driver = open_driver()
    free_before = driver.free_and_total_memory()
    assert check_memory(driver) == ""
    assert check_health(tmp_path, Job(), driver) == ""
    assert driver.free_and_total_memory() == free_before


@pytest.mark.parametrize(
    ("symbol", "problem"),
    [("adds", ""), ("idle", "a kernel that adds 1 gave something else")],
)
def test_a_device_is_judged_by_a_kernel_of_a_known_result(
    open_driver: OpenDriver, tmp_path: Path, symbol: str, problem: str
) -> None:
    objects = tmp_path / "objects"
    objects.mkdir()
    (objects / "d").write_bytes(drivers.raw_object())
    job = Job(health=("d", symbol))
    assert check_health(tmp_path, job, open_driver()) == problem
