"""The runner's entry point: a process for each unit, and a report whatever becomes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.devices.unit_runs import RunOptions
from crawler.validate.runner.supervisor import main
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import drivers, kernels
from tests.stand_ins.kernels import Does

pytestmark = pytest.mark.apt

WriteFolder = Callable[..., Path]


def run_main(bundle: Path, tmp_path: Path, **settings: object) -> RunnerReport:
    """Run the bundle on a device with these settings, and return the report of its unit."""
    library = drivers.install(
        tmp_path / "driver", "rocm", **{"l2": 1 << 16, **settings}
    )
    results = tmp_path / "results"
    assert main([str(bundle), str(results), str(library)]) == 0
    return RunnerReport(results / "unit")


@pytest.mark.parametrize(
    "arguments", [[], ["bundle"], ["a", "b", "c", "d"], ["--probe"]]
)
def test_wrong_arguments_end_with_the_usage(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("usage: runner BUNDLE RESULTS")


def probe(
    capsys: pytest.CaptureFixture[str], runtime: str, library: Path
) -> list[dict[str, Any]]:
    assert main(["--probe", runtime, str(library)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("runtime", ["rocm", "cuda"])
def test_a_probe_describes_every_device(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, runtime: str
) -> None:
    library = drivers.install(tmp_path / "driver", runtime, devices=3)
    descriptions = probe(capsys, runtime, library)
    assert [description["index"] for description in descriptions] == [0, 1, 2]
    assert {description["wrong"] for description in descriptions} == {""}
    assert len({description["arch"] for description in descriptions}) == 1


def test_a_probe_says_what_is_wrong_with_a_device(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    library = drivers.install(tmp_path / "driver", "cuda", fail="MemcpyDtoH:1:719")
    (description,) = probe(capsys, "cuda", library)
    assert "cuMemcpyDtoH" in description["wrong"]
    assert "arch" not in description


def test_a_probe_of_a_machine_without_a_driver_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (description,) = probe(capsys, "rocm", tmp_path / "none.so")
    assert description["index"] == 0
    assert "no driver of rocm" in description["message"]


def test_a_unit_that_does_its_work_leaves_a_healthy_device(
    write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    bundle = write_folder([kernels.case(Does.ITS_WORK, blobs)], blobs)
    report = run_main(bundle, tmp_path)
    assert report.device
    assert report.device.arch == "gfx90a"
    assert report.cases["ordinary"].code == ""
    assert report.memory
    assert report.memory.before == report.memory.after
    assert report.is_healthy is True
    assert report.end
    assert (report.end.exit, report.end.signal, report.end.timed_out) == (0, 0, False)
    assert report.timing is None


def test_a_unit_is_timed_where_the_job_asks_for_it(
    write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    options = RunOptions(timing={"launches": 4, "warm_ups": 1})
    bundle = write_folder([kernels.case(Does.ITS_WORK, blobs)], blobs, options=options)
    report = run_main(bundle, tmp_path)
    assert report.timing
    assert report.timing.case == "ordinary"
    # The quicker the machine, the more launches share a sample.
    samples, batch = len(report.timing.milliseconds), report.timing.batch
    assert (samples - 1) * batch < 4 <= samples * batch


def test_a_unit_without_end_is_killed_and_the_device_looked_at(
    write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    cases = [
        kernels.case(Does.ITS_WORK, blobs, name=f"case-{number}")
        for number in range(200)
    ]
    bundle = write_folder(
        cases, blobs, symbols=("slow",), options=RunOptions(seconds=0.4)
    )
    report = run_main(bundle, tmp_path)
    assert report.end
    assert report.end.timed_out
    assert (report.end.exit, report.end.signal, report.end.stuck) == (-1, 9, False)
    assert 0.4 <= report.end.seconds < 20
    assert len(report.cases) < 200
    assert report.is_healthy is True


def test_a_unit_that_loses_its_device_costs_that_process_alone(
    write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    case = kernels.case(Does.ITS_WORK, blobs)
    report = run_main(write_folder([case], blobs, symbols=("fails",)), tmp_path)
    assert report.cases["ordinary"].code == "launch-failed"
    assert report.end
    assert report.end.exit == 3
    assert report.memory is None
    assert report.is_healthy is True


def test_a_machine_without_a_device_has_no_health(
    write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    bundle = write_folder([kernels.case(Does.ITS_WORK, blobs)], blobs)
    report = run_main(bundle, tmp_path, devices=0)
    assert report.device
    assert report.device.code == "no-device"
    assert report.end
    assert report.end.exit == 4
    assert report.is_healthy is None


def test_a_unit_whose_object_is_missing_ends_its_process_and_is_reported(
    write_folder: WriteFolder, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    blobs = Blobs()
    bundle = write_folder([kernels.case(Does.ITS_WORK, blobs)], blobs)
    for file in (bundle / "objects").iterdir():
        file.unlink()
    report = run_main(bundle, tmp_path)
    assert report.cases == {}
    assert report.end
    assert report.end.exit == 5
    assert "FileNotFoundError" in capfd.readouterr().err


def test_a_device_that_fails_its_check_is_not_healthy(
    write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    options = RunOptions(health=(blobs.put(drivers.raw_object()), "idle"))
    bundle = write_folder([kernels.case(Does.ITS_WORK, blobs)], blobs, options=options)
    report = run_main(bundle, tmp_path)
    assert report.cases["ordinary"].code == ""
    assert report.is_healthy is False


def test_a_check_that_ends_its_process_is_a_failed_one(
    write_folder: WriteFolder, tmp_path: Path
) -> None:
    blobs = Blobs()
    # The health check needs an object that is not there: its process ends by an error.
    options = RunOptions(health=(blobs.put(b"no object"), "adds"))
    bundle = write_folder([kernels.case(Does.ITS_WORK, blobs)], blobs, options=options)
    report = run_main(bundle, tmp_path)
    assert report.is_healthy is False
    assert report.end
    assert report.end.exit == 5
