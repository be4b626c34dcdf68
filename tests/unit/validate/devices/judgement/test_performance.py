"""Times of launches: what they add up to, and which of them cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.model import Case, Status
from crawler.validate.devices.judgement.performance import (
    Baseline,
    judge_pass_perf,
    summarise_performance,
)
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does

TIMES = [1.0] * 30 + [2.0] * 31
DEVICE = {"what": "device", "name": "AMD Instinct MI210"}


def build_report(
    folder: Path, timed_case: Case, blobs: Blobs, /, **changes: Any
) -> RunnerReport:
    gold = blobs.get(timed_case.buffers[1].gold)
    (folder / "outputs").write_bytes(gold)
    launch = {"fill": 0xFF, "buffers": [None, [0, len(gold)]]}
    timing = {
        "what": "timing",
        "case": timed_case.name,
        "milliseconds": TIMES,
        "host_milliseconds": [2.5] * len(TIMES),
        "checked": len(TIMES),
        "runs": [launch],
        **changes,
    }
    lines = "\n".join(json.dumps(line) for line in (DEVICE, timing))
    (folder / "report").write_text(lines)
    return RunnerReport(folder)


@pytest.fixture
def blobs() -> Blobs:
    return Blobs()


@pytest.fixture
def case(blobs: Blobs) -> Case:
    return kernels.case(Does.ITS_WORK, blobs, n=1000)


def test_a_summary_has_the_median_and_what_was_moved(
    tmp_path: Path, case: Case, blobs: Blobs
) -> None:
    report = build_report(tmp_path, case, blobs, batch=2)
    measured = summarise_performance(case, report, blobs)
    assert measured is not None
    assert measured.median_ms == 2.0
    assert measured.launches == 2 * len(TIMES)
    assert measured.host_ms == 2.5
    # An input and an output of 1000 floats, each moved once.
    assert measured.bytes_moved == 8000
    assert measured.bandwidth == pytest.approx(8000 / 2e-3)
    assert measured.share == pytest.approx(measured.bandwidth / 1638e9)
    assert measured.spread == pytest.approx(0.5)
    assert measured.stated_by == "data sheet"


def test_nothing_is_summarised_of_a_case_that_was_not_timed(
    tmp_path: Path, case: Case, blobs: Blobs
) -> None:
    report = build_report(tmp_path, case, blobs, case="another")
    assert summarise_performance(case, report, blobs) is None
    report = build_report(tmp_path, case, blobs, milliseconds=[])
    verdict = judge_pass_perf(case, report, blobs)
    assert verdict is not None
    assert (verdict.status, verdict.code) == (Status.SKIPPED, "not-measured")


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({}, Status.PASS, ""),
        ({"code": "device-memory"}, Status.SKIPPED, "device-memory"),
        ({"milliseconds": [2.0] * 9}, Status.SKIPPED, "few-launches"),
        ({"checked": 0}, Status.FAIL, "timed-unchecked"),
        ({"runs": [{"fill": 255, "broken": [1]}]}, Status.FAIL, "outside-written"),
        ({"runs": [{"fill": 255}]}, Status.FAIL, "timed-wrong"),
        ({"milliseconds": [1e-5] * 60}, Status.FAIL, "impossible"),
        ({"host_milliseconds": [1.5] * 60}, Status.FAIL, "clock-mismatch"),
        ({"host_milliseconds": [9.0] * 60}, Status.FAIL, "clock-mismatch"),
    ],
)
def test_times_that_mean_nothing_do_not_pass(
    tmp_path: Path,
    case: Case,
    blobs: Blobs,
    changes: dict[str, Any],
    status: Status,
    code: str,
) -> None:
    report = build_report(tmp_path, case, blobs, **changes)
    baseline = Baseline(milliseconds=2.0, source="project")
    verdict = judge_pass_perf(case, report, blobs, baseline)
    assert verdict is not None
    assert (verdict.status, verdict.code) == (status, code)


@pytest.mark.parametrize(
    ("milliseconds", "code"), [(1.95, ""), (1.9, "slower"), (2.0, "")]
)
def test_a_time_within_the_threshold_is_as_fast_as_the_baseline(
    tmp_path: Path, case: Case, blobs: Blobs, milliseconds: float, code: str
) -> None:
    report = build_report(tmp_path, case, blobs)
    baseline = Baseline(milliseconds=milliseconds, source="project")
    verdict = judge_pass_perf(case, report, blobs, baseline)
    assert verdict is not None
    assert verdict.code == code
    assert f"project: {milliseconds:.4g} ms" in verdict.message
