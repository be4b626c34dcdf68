"""Reports of the runner, which may be cut off, forged or missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from crawler.validate.devices.runner_io.report import RunnerReport


def write_lines(folder: Path, *lines: dict[str, Any]) -> RunnerReport:
    text = "\n".join(json.dumps(line) for line in lines)
    (folder / "report").write_text(text)
    return RunnerReport(folder)


def test_each_kind_of_line_is_found(tmp_path: Path) -> None:
    report = write_lines(
        tmp_path,
        {"what": "device", "name": "AMD Instinct MI210", "arch": "gfx90a"},
        {"what": "case", "name": "ordinary", "seconds": 0.5},
        {"what": "case", "name": "large", "code": "device-memory"},
        {"what": "timing", "case": "ordinary", "milliseconds": [0.25, 0.5]},
        {"what": "memory", "before": 64, "after": 32},
        {"what": "health", "ok": True},
        {"what": "end", "exit": 0, "seconds": 2.0},
    )
    assert report.device is not None
    assert report.device.arch == "gfx90a"
    assert list(report.cases) == ["ordinary", "large"]
    assert report.cases["large"].code == "device-memory"
    assert report.timing is not None
    assert report.timing.milliseconds == (0.25, 0.5)
    assert report.memory is not None
    assert report.memory.before - report.memory.after == 32
    assert report.end is not None
    assert report.end.seconds == 2.0


def test_the_last_health_check_counts(tmp_path: Path) -> None:
    assert write_lines(tmp_path).is_healthy is None
    failing = {"what": "health", "ok": False}
    passing = {"what": "health", "ok": True}
    assert write_lines(tmp_path, failing, passing).is_healthy is True
    assert write_lines(tmp_path, passing, failing).is_healthy is False


def test_outputs_are_read_by_offset_and_size(tmp_path: Path) -> None:
    (tmp_path / "outputs").write_bytes(b"abcdef")
    report = write_lines(tmp_path)
    assert report.read_output((2, 3)) == b"cde"
    # An offset behind the end is no error: a report may tell of outputs that were cut off.
    assert report.read_output((9, 3)) == b""


def test_a_missing_report_is_empty(tmp_path: Path) -> None:
    report = RunnerReport(tmp_path / "nothing")
    assert report.lines == ()
    assert (report.device, report.end, report.timing) == (None, None, None)
    assert report.read_output((0, 4)) == b""


def test_links_that_a_kernel_may_have_put_there_are_not_followed(
    tmp_path: Path,
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(json.dumps({"what": "end", "exit": 0}))
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "report").symlink_to(secret)
    (folder / "outputs").symlink_to(secret)
    report = RunnerReport(folder)
    assert report.lines == ()
    assert report.read_output((0, 4)) == b""
