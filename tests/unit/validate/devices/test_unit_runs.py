"""What the runner is given: never a golden output."""

from __future__ import annotations

import json
from pathlib import Path

from crawler.model import Dialect
from crawler.validate.bundle.kernel_symbols import Entry
from crawler.validate.bundle.manifest import BundledUnit
from crawler.validate.devices.unit_runs import RunOptions, write_job
from crawler.validate.runner.manifest import Timing, read_job, read_units
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does


def write_plain_job(folder: Path, options: RunOptions, blobs: Blobs) -> BundledUnit:
    case = kernels.case(Does.ITS_WORK, blobs, n=8)
    unit = BundledUnit(
        unit="u",
        kernel_name="k",
        dialect="hip",
        target="gfx90a",
        form="code",
        object=blobs.put(b"object"),
        entries=(Entry(label="", symbol="k"),),
        suite=kernels.suite(kernels.unit(Dialect.HIP), [case]),
    )
    write_job([unit], blobs.get, options, folder)
    return unit


def test_no_golden_output_is_within_reach(tmp_path: Path) -> None:
    blobs = Blobs()
    unit = write_plain_job(tmp_path, RunOptions(), blobs)
    gold = blobs.get(unit.suite.cases[0].buffers[1].gold)
    contents = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert contents
    assert not any(gold in content for content in contents)


def test_the_runner_reads_what_was_written(tmp_path: Path) -> None:
    blobs = Blobs()
    options = RunOptions(
        seconds=5.0,
        health=(blobs.put(b"health"), "add_one"),
        timing={"launches": 9},
        case="ordinary",
    )
    write_plain_job(tmp_path, options, blobs)
    job = read_job(tmp_path)
    assert (job.seconds, job.health, job.case) == (5.0, options.health, "ordinary")
    assert job.timing == Timing(launches=9)

    (unit,) = read_units(tmp_path)
    assert (unit.name, unit.runtime) == ("u", "rocm")
    (launch,) = unit.launches
    assert [buffer.is_written for buffer in launch.buffers] == [False, True]
    assert launch.buffers[0].content
    assert not launch.buffers[1].content


def test_the_health_kernel_lies_among_the_objects(tmp_path: Path) -> None:
    blobs = Blobs()
    digest = blobs.put(b"health")
    write_plain_job(tmp_path, RunOptions(health=(digest, "add_one")), blobs)
    assert (tmp_path / "objects" / digest).read_bytes() == b"health"
    document = json.loads((tmp_path / "job.json").read_text())
    assert document["timing"] is None
