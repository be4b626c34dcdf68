"""Make a run on a device from the runner's report of a unit."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import Build, Case, Run, Suite
from crawler.validate.devices.judgement.execution_verdict import judge_pass_exe
from crawler.validate.devices.judgement.performance import (
    Baseline,
    judge_pass_perf,
    summarise_performance,
)
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.values.blobs import Blobs


def build_run(
    build: Build,
    cpu_run: Run,
    suite: Suite,
    report: RunnerReport,
    blobs: Blobs,
    *,
    device: str,
    details: str = "",
    partition: str = "",
    baseline: Baseline | None = None,
) -> Run:
    """Return the run of a build with the cases of `cpu_run`, its verdicts and measurements.

    `partition` is the part of the device that ran, and `baseline` what its time is compared
    with.
    """
    run = Run(
        unit=build.unit,
        device=device,
        toolchain=build.toolchain,
        pass_exe=judge_pass_exe(suite, report, blobs),
        behaviour=cpu_run.behaviour,
        instantiation=cpu_run.instantiation,
        details=details,
        suite=cpu_run.suite,
        cases=cpu_run.cases,
        oracle=suite.oracle,
        extents=cpu_run.extents,
        strength=cpu_run.strength,
        seconds=round(report.end.seconds, 3) if report.end else 0.0,
    )

    # Only one case of a suite is timed.
    case = _find_timed_case(suite, report)
    if case is None:
        return run

    return replace(
        run,
        pass_perf=judge_pass_perf(case, report, blobs, baseline, partition),
        performance=summarise_performance(case, report, blobs, partition),
    )


def _find_timed_case(suite: Suite, report: RunnerReport) -> Case | None:
    timing = report.timing
    if timing is None:
        return None

    for case in suite.cases:
        if case.name == timing.case:
            return case

    return None
