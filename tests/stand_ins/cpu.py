"""The CPU execution as one more device: what it makes of cases, told as the runner tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crawler.model import Case, KernelUnit, Suite
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.execution import Execution, Outcome
from crawler.validate.emulator.launch import Buffer, KernelLaunch
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.runner.device_buffers import FILL_BYTES
from crawler.validate.runner.session import ResultWriter
from crawler.validate.values.blobs import Blobs


def told_by_cpu(
    unit: KernelUnit,
    suites: Sequence[Suite],
    blobs: Blobs,
    folder: Path,
    seconds: float,
) -> list[RunnerReport]:
    program = build_cpu_program(unit, BuildOptions())
    assert program.executable, program.verdict
    pairs = [
        (number, case) for number, suite in enumerate(suites) for case in suite.cases
    ]
    launches = [
        _filled(case, fill, blobs, seconds) for _, case in pairs for fill in FILL_BYTES
    ]
    done = run_launches(program, launches)
    for at, (number, case) in enumerate(pairs):
        both = range(len(FILL_BYTES) * at, len(FILL_BYTES) * (at + 1))
        _tell(
            folder / str(number),
            case,
            [launches[each] for each in both],
            [done[each] for each in both],
        )
    return [RunnerReport(folder / str(number)) for number in range(len(suites))]


def _filled(case: Case, fill: int, blobs: Blobs, seconds: float) -> KernelLaunch:
    launch = replace(build_case_launch(case, blobs), max_seconds=seconds)
    return replace(
        launch, buffers=tuple(_with_fill(each, fill) for each in launch.buffers)
    )


def _with_fill(buffer: Buffer, fill: int) -> Buffer:
    return (
        buffer
        if buffer.content is not None
        else replace(buffer, content=bytes([fill]) * buffer.size)
    )


def _tell(
    folder: Path,
    case: Case,
    launches: Sequence[KernelLaunch],
    done: Sequence[Execution],
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results = ResultWriter(folder)
    timed_out = any(each.outcome is Outcome.TIMEOUT for each in done)
    failed = next(
        (each for each in done if each.outcome in (Outcome.FAULT, Outcome.KILLED)), None
    )
    if failed is not None:
        code = "launch-failed" if failed.find_finding("trap") else "illegal-address"
        results.write_line(
            "case",
            name=case.name,
            code=code,
            message=failed.findings[0].kind if failed.findings else "",
        )
    elif not timed_out:
        runs = [
            _run(fill, one, execution, results)
            for fill, one, execution in zip(FILL_BYTES, launches, done, strict=True)
        ]
        results.write_line("case", name=case.name, code="", runs=runs)
    results.write_line("end", exit=0, timed_out=timed_out)
    results.write_line("health", ok=True)
    results.close()


def _run(
    fill: int, launch: KernelLaunch, execution: Execution, results: ResultWriter
) -> dict[str, Any]:
    places = list(_kept(launch, execution, results))
    outside = execution.find_finding("out-of-bounds")
    return {
        "fill": fill,
        "broken": [outside.buffer] if outside else [],
        "buffers": places,
    }


def _kept(
    launch: KernelLaunch, execution: Execution, results: ResultWriter
) -> Iterator[tuple[int, int] | None]:
    for buffer, left in zip(launch.buffers, execution.buffers, strict=True):
        yield None if left == buffer.content else results.write_output(left)
