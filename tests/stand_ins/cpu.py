"""The CPU emulator as one more device, whose results are reported as the runner reports them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crawler.model import Case, KernelUnit, Suite
from crawler.validate.devices.runner_io.report import RunnerReport
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import Buffer, KernelLaunch
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.runner.device_buffers import FILL_BYTES
from crawler.validate.runner.session import ResultWriter
from crawler.validate.values.blobs import Blobs


def run_on_cpu(
    unit: KernelUnit,
    suites: Sequence[Suite],
    blobs: Blobs,
    folder: Path,
    seconds: float,
) -> list[RunnerReport]:
    """Run each case with each fill, and return the reports of the suites."""
    program = build_cpu_program(unit, BuildOptions())
    assert program.executable, program.verdict

    cases = [
        (number, case) for number, suite in enumerate(suites) for case in suite.cases
    ]
    launches = [
        build_filled_launch(case, fill, blobs, seconds)
        for _, case in cases
        for fill in FILL_BYTES
    ]
    executions = run_launches(program, launches)

    for index, (number, case) in enumerate(cases):
        begin = len(FILL_BYTES) * index
        end = begin + len(FILL_BYTES)
        write_report(
            folder / str(number), case, launches[begin:end], executions[begin:end]
        )
    return [RunnerReport(folder / str(number)) for number in range(len(suites))]


def build_filled_launch(
    case: Case, fill: int, blobs: Blobs, seconds: float
) -> KernelLaunch:
    launch = build_case_launch(case, blobs)
    buffers = tuple(fill_output(buffer, fill) for buffer in launch.buffers)
    return replace(launch, buffers=buffers, max_seconds=seconds)


def fill_output(buffer: Buffer, fill: int) -> Buffer:
    if buffer.content is not None:
        return buffer
    return replace(buffer, content=bytes([fill]) * buffer.size)


def write_report(
    folder: Path,
    case: Case,
    launches: Sequence[KernelLaunch],
    executions: Sequence[Execution],
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results = ResultWriter(folder)
    outcomes = [execution.outcome for execution in executions]
    timed_out = Outcome.TIMEOUT in outcomes
    failed = [
        execution
        for execution in executions
        if execution.outcome in (Outcome.FAULT, Outcome.KILLED)
    ]

    if failed:
        write_failure(case, failed[0], results)
    elif not timed_out:
        runs = [
            describe_run(fill, launch, execution, results)
            for fill, launch, execution in zip(
                FILL_BYTES, launches, executions, strict=True
            )
        ]
        results.write_line("case", name=case.name, code="", runs=runs)
    results.write_line("end", exit=0, timed_out=timed_out)
    results.write_line("health", ok=True)
    results.close()


def write_failure(case: Case, execution: Execution, results: ResultWriter) -> None:
    code = "launch-failed" if execution.find_finding("trap") else "illegal-address"
    message = execution.findings[0].kind if execution.findings else ""
    results.write_line("case", name=case.name, code=code, message=message)


def describe_run(
    fill: int, launch: KernelLaunch, execution: Execution, results: ResultWriter
) -> dict[str, Any]:
    spans: list[tuple[int, int] | None] = []
    for buffer, content in zip(launch.buffers, execution.buffers, strict=True):
        is_unchanged = content == buffer.content
        spans.append(None if is_unchanged else results.write_output(content))
    outside = execution.find_finding("out-of-bounds")
    return {
        "fill": fill,
        "broken": [outside.buffer] if outside else [],
        "buffers": spans,
    }
