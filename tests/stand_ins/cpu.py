"""The CPU execution as one more device: what it makes of cases, told as the runner tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crawler.model import Case, KernelUnit, Suite
from crawler.validate.blobs import Blobs
from crawler.validate.devices.told import Told
from crawler.validate.runner.memory import FILLS
from crawler.validate.runner.session import Results
from crawler.validate.simt.cases import launch_of
from crawler.validate.simt.execution import Execution, Outcome
from crawler.validate.simt.launch import Buffer, Launch
from crawler.validate.simt.program import Mode, build_cpu
from crawler.validate.simt.run import execute


def told_by_cpu(unit: KernelUnit, suites: Sequence[Suite], blobs: Blobs, folder: Path, seconds: float) -> list[Told]:
    program = build_cpu(unit, Mode())
    assert program.executable, program.verdict
    pairs = [(number, case) for number, suite in enumerate(suites) for case in suite.cases]
    launches = [_filled(case, fill, blobs, seconds) for _, case in pairs for fill in FILLS]
    done = execute(program, launches)
    for at, (number, case) in enumerate(pairs):
        both = range(len(FILLS) * at, len(FILLS) * (at + 1))
        _tell(folder / str(number), case, [launches[each] for each in both], [done[each] for each in both])
    return [Told(folder / str(number)) for number in range(len(suites))]


def _filled(case: Case, fill: int, blobs: Blobs, seconds: float) -> Launch:
    launch = replace(launch_of(case, blobs), seconds=seconds)
    return replace(launch, buffers=tuple(_with_fill(each, fill) for each in launch.buffers))


def _with_fill(buffer: Buffer, fill: int) -> Buffer:
    return buffer if buffer.content is not None else replace(buffer, content=bytes([fill]) * buffer.size)


def _tell(folder: Path, case: Case, launches: Sequence[Launch], done: Sequence[Execution]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results = Results(folder)
    timed_out = any(each.outcome is Outcome.TIMEOUT for each in done)
    failed = next((each for each in done if each.outcome in (Outcome.FAULT, Outcome.KILLED)), None)
    if failed is not None:
        code = "launch-failed" if failed.finding("trap") else "illegal-address"
        results.tell("case", name=case.name, code=code, message=failed.findings[0].kind if failed.findings else "")
    elif not timed_out:
        runs = [_run(fill, one, execution, results) for fill, one, execution in zip(FILLS, launches, done, strict=True)]
        results.tell("case", name=case.name, code="", runs=runs)
    results.tell("end", exit=0, timed_out=timed_out)
    results.tell("health", ok=True)
    results.close()


def _run(fill: int, launch: Launch, execution: Execution, results: Results) -> dict[str, Any]:
    places = list(_kept(launch, execution, results))
    outside = execution.finding("out-of-bounds")
    return {"fill": fill, "broken": [outside.buffer] if outside else [], "buffers": places}


def _kept(launch: Launch, execution: Execution, results: Results) -> Iterator[tuple[int, int] | None]:
    for buffer, left in zip(launch.buffers, execution.buffers, strict=True):
        yield None if left == buffer.content else results.keep(left)
