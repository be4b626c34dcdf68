"""Run launches of a compiled program in the sandbox and collect their results."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.work_folder import make_readable_folder, open_work_folder
from crawler.toolchains import system_files
from crawler.validate.emulator.cpu_budget import charge_runs
from crawler.validate.emulator.execution_report import (
    Execution,
    Outcome,
    parse_executions,
)
from crawler.validate.emulator.job_file import encode_job
from crawler.validate.emulator.launch import Buffer, KernelLaunch
from crawler.validate.emulator.program import Program

MAX_RESIDENT_BYTES: Final = 2 << 30
STACK_BYTES: Final = 16 << 10
WIDE_STACK_BYTES: Final = 1 << 20
"""Of each thread, in bytes: a narrow one is faster; where it does not do, the launch runs again
with a wide one.
"""
_START_SECONDS: Final = 5.0
_CLOCK_FACTOR: Final = 10
"""Seconds by the clock for each of the processor's: the program itself ends a run after eight."""
_WORK: Final = "/work"
_RESULTS: Final = "/results"
_OUTPUTS: Final = "outputs"
_REPORT: Final = "report"
_POINTER_BYTES: Final = 8
_MAX_REPORT_BYTES: Final = 1 << 20
_SPARE_SCRATCH_BYTES: Final = 16 << 20


def run_launches(
    program: Program,
    launches: Sequence[KernelLaunch],
    *,
    resident_bytes: int = MAX_RESIDENT_BYTES,
) -> tuple[Execution, ...]:
    """Run `launches` one after another and return what came of each.

    Where the whole program is ended early, for want of memory say, the launch that it was at is
    `killed`, and those that it did not come to run anew. Raises `MissingTool` where the sandbox
    does not work: a kernel never runs outside it; and `CpuBudgetExceeded` where the kernel had
    been given so much of the processor, and used it up.
    """
    executions = _run_all(program, launches, resident_bytes, STACK_BYTES)
    overflowed = [
        number
        for number, execution in enumerate(executions)
        if execution.find_finding("stack-overflow")
    ]

    # a launch of thousands of threads would touch gigabytes of wide stacks: only these have them
    repeated = _run_all(
        program,
        [launches[number] for number in overflowed],
        resident_bytes,
        WIDE_STACK_BYTES,
    )

    for number, execution in zip(overflowed, repeated, strict=True):
        executions[number] = execution

    return tuple(executions)


def _run_all(
    program: Program,
    launches: Sequence[KernelLaunch],
    resident_bytes: int,
    stack_bytes: int,
) -> list[Execution]:
    """Return what came of each launch, in as many runs of the program as it takes."""
    executions: list[Execution] = []

    while len(executions) < len(launches):
        waiting = launches[len(executions) :]
        start = time.monotonic()
        finished = _run_once(program, waiting, resident_bytes, stack_bytes)
        min_seconds = (time.monotonic() - start) / _CLOCK_FACTOR
        # after each run, so that a kernel that never ends stops at its budget, not after it
        charge_runs(waiting[: len(finished)], finished, min_seconds)
        executions += finished

    return executions


def _run_once(
    program: Program,
    launches: Sequence[KernelLaunch],
    resident_bytes: int,
    stack_bytes: int,
) -> tuple[Execution, ...]:
    """Return what came of the launches that a program came to before it ended."""
    with open_work_folder("run") as folder:
        work = make_readable_folder(folder / "work")
        results = make_readable_folder(folder / "results")
        _write_job(program, launches, work, stack_bytes)
        completed = _run_in_sandbox(launches, work, results, resident_bytes)

        return tuple(_collect_executions(launches, results, completed))


def _write_job(
    program: Program, launches: Sequence[KernelLaunch], work: Path, stack_bytes: int
) -> None:
    job, inputs = encode_job(launches, stack_bytes)
    (work / "program").write_bytes(program.executable)
    (work / "program").chmod(0o755)
    (work / "job").write_text(job, "ascii")
    (work / "inputs").write_bytes(inputs)


def _run_in_sandbox(
    launches: Sequence[KernelLaunch], work: Path, results: Path, resident_bytes: int
) -> CompletedProcess:
    shown_work = sandbox.choose_target(work, _WORK)
    shown_results = sandbox.choose_target(results, _RESULTS)
    argv = (
        f"{shown_work}/program",
        f"{shown_work}/job",
        f"{shown_work}/inputs",
        f"{shown_results}/{_OUTPUTS}",
        f"{shown_results}/{_REPORT}",
    )
    output_bytes = sum(buffer.size for launch in launches for buffer in launch.buffers)
    cpu_seconds = _START_SECONDS + sum(launch.max_seconds for launch in launches)
    # an arena is gigabytes of address space, of which little is ever touched: no bound on
    # addresses, but on memory
    limits = Limits(
        seconds=_CLOCK_FACTOR * cpu_seconds,
        resident_bytes=resident_bytes,
        file_bytes=output_bytes + _MAX_REPORT_BYTES,
        scratch_bytes=2 * output_bytes + _SPARE_SCRATCH_BYTES,
        processes=8,
    )
    work_mount = Mount(source=work, target=shown_work)
    results_mount = Mount(
        source=results,
        target=shown_results,
        writable=True,
        copy_back=(_OUTPUTS, _REPORT),
    )

    return sandbox.run(
        argv,
        mounts=(work_mount, results_mount),
        cwd=shown_results,
        limits=limits,
        system=system_files.list_runtime_files(),
    )


def _collect_executions(
    launches: Sequence[KernelLaunch], results: Path, completed: CompletedProcess
) -> Iterator[Execution]:
    """Yield what came of launches, up to the one that the program was at when it was ended."""
    # a program that was ended early has written less than all, or nothing
    outputs = _read_result(results / _OUTPUTS)
    report = _read_result(results / _REPORT).decode("ascii", "replace")
    executions = list(parse_executions(report))
    offset = 0

    for number, launch in enumerate(launches):
        if number < len(executions):
            buffers = tuple(_iter_contents(launch.buffers, outputs, offset))
            yield replace(executions[number], buffers=buffers)
            offset += sum(buffer.size for buffer in launch.buffers)
        elif completed.timed_out:
            # the clock has run out for all of them together
            yield Execution(outcome=Outcome.TIMEOUT)
        else:
            yield Execution(outcome=Outcome.KILLED)
            return


def _iter_contents(
    buffers: Sequence[Buffer], outputs: bytes, begin: int
) -> Iterator[bytes]:
    """Yield what each buffer holds with its pointers null: where they point is another place in
    each run.
    """
    offset = begin

    for buffer in buffers:
        content = outputs[offset : offset + buffer.size]
        offset += buffer.size
        if not buffer.pointers:
            yield content
            continue

        cleared = bytearray(content)

        for pointer_offset, _ in buffer.pointers:
            pointer_end = pointer_offset + _POINTER_BYTES
            cleared[pointer_offset:pointer_end] = bytes(_POINTER_BYTES)

        yield bytes(cleared)


def _read_result(path: Path) -> bytes:
    # a kernel may have put a link in its place
    if not path.is_file() or path.is_symlink():
        return b""
    return path.read_bytes()
