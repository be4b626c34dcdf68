"""From what a runner told of a unit, on whatever machine, to its run."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import Build, Run, Suite
from crawler.validate.blobs import Blobs
from crawler.validate.devices.performance import Baseline, pass_perf, performance
from crawler.validate.devices.told import Told
from crawler.validate.devices.verdicts import pass_exe


def run_of(
    build: Build,
    cpu: Run,
    suite: Suite,
    told: Told,
    blobs: Blobs,
    *,
    device: str,
    details: str = "",
    partition: str = "",
    baseline: Baseline | None = None,
) -> Run:
    """Return the run of what `build` made, with the cases that `cpu` had; its time is held against `baseline`."""
    run = Run(
        unit=build.unit,
        device=device,
        toolchain=build.toolchain,
        pass_exe=pass_exe(suite, told, blobs),
        behaviour=cpu.behaviour,
        instantiation=cpu.instantiation,
        details=details,
        suite=cpu.suite,
        cases=cpu.cases,
        oracle=suite.oracle,
        seconds=round(told.end.seconds, 3) if told.end else 0.0,
    )
    case = next((case for case in suite.cases if told.timing and case.name == told.timing.case), None)
    if case is None:
        return run
    verdict = pass_perf(case, told, blobs, baseline, partition)
    return replace(run, pass_perf=verdict, performance=performance(case, told, blobs, partition))
