"""Bundles as the runner reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.validate.runner.manifest import (
    ArgumentSpec,
    BufferSpec,
    Job,
    Launch,
    Timing,
    read_job,
    read_units,
)

POINTER = {"at": 0, "buffer": 1, "offset": 16}
NULL_POINTER = {"at": 8, "buffer": None}
CASE: dict[str, Any] = {
    "name": "ordinary",
    "entry": 1,
    "grid": [4, 1, 1],
    "block": [64, 2, 1],
    "shared_bytes": 512,
    "buffers": [
        {"size": 64, "role": "in", "content": "a1"},
        {"size": 32, "role": "out", "pointers": [POINTER]},
        {"size": 16, "role": "inout", "content": "b2"},
    ],
    "arguments": [{"content": "0a000000", "pointers": [POINTER, NULL_POINTER]}],
}
UNIT = {
    "unit": "u",
    "object": "o",
    "dialect": "hip",
    "entries": [{"symbol": "first"}, {"symbol": "second"}],
    "suite": {"cases": [CASE]},
}


def write_manifest(folder: Path, *units: dict[str, Any]) -> None:
    manifest = {"schema": "kernelset/bundle/1", "units": units}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_case_is_a_launch_of_its_entry(tmp_path: Path) -> None:
    write_manifest(tmp_path, UNIT)
    (unit,) = read_units(tmp_path)
    assert (unit.name, unit.object, unit.runtime) == ("u", "o", "rocm")
    assert unit.launches == (
        Launch(
            name="ordinary",
            symbol="second",
            grid=(4, 1, 1),
            block=(64, 2, 1),
            shared_bytes=512,
            buffers=(
                BufferSpec(64, is_written=False, content="a1"),
                BufferSpec(32, is_written=True, content="", links=((0, 1, 16),)),
                BufferSpec(16, is_written=True, content="b2"),
            ),
            arguments=(ArgumentSpec(b"\n\0\0\0", ((0, 1, 16), (8, -1, 0))),),
        ),
    )


def test_an_entry_that_the_object_lacks_has_no_symbol(tmp_path: Path) -> None:
    write_manifest(tmp_path, UNIT | {"entries": []})
    assert read_units(tmp_path)[0].launches[0].symbol == ""


def test_a_job_says_what_is_timed_and_how_health_is_checked(tmp_path: Path) -> None:
    job = {
        "seconds": 3,
        "health": ["d1", "kernel"],
        "timing": {"launches": 7},
        "case": "large",
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    assert read_job(tmp_path) == Job(
        seconds=3.0,
        health=("d1", "kernel"),
        timing=Timing(launches=7, warm_ups=5, seconds=20.0),
        case="large",
    )


def test_a_bundle_of_another_schema_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(
        json.dumps({"schema": "kernelset/bundle/7", "units": []})
    )
    with pytest.raises(ValueError, match="make it again"):
        read_units(tmp_path)


def test_a_bundle_without_wishes_has_the_usual(tmp_path: Path) -> None:
    assert read_job(tmp_path) == Job()
