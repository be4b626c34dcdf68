"""Make a run on a device from the runner's report of a unit."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import Build, Run, Suite
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
    """Return the run of what `build` made, with the cases that `cpu_run` had; its time is held
    against `baseline`.
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
        seconds=round(report.end.seconds, 3) if report.end else 0.0,
    )
    case = next(
        (
            case
            for case in suite.cases
            if report.timing and case.name == report.timing.case
        ),
        None,
    )
    if case is None:
        return run
    verdict = judge_pass_perf(case, report, blobs, baseline, partition)
    return replace(
        run,
        pass_perf=verdict,
        performance=summarise_performance(case, report, blobs, partition),
    )
