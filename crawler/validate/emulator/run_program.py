"""Run launches of a compiled program in the sandbox and collect their results."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount
from crawler.validate.emulator.cpu_budget import charge_endless_runs
from crawler.validate.emulator.execution import Execution, Outcome, parse_executions
from crawler.validate.emulator.job_file import encode_job
from crawler.validate.emulator.launch import Buffer, KernelLaunch
from crawler.validate.emulator.program import Program

MAX_RESIDENT_BYTES: Final = 2 << 30
STACK_BYTES: Final = 16 << 10
WIDE_STACK_BYTES: Final = 1 << 20
"""Of each thread, in bytes: a narrow one is faster; where it does not do, the launch runs again
with a wide one.
"""
_START: Final = 5.0
_PATIENCE: Final = 10
"""Seconds by the clock for each of the processor's: the program itself ends a run after eight."""
_WORK: Final = "/work"
_RESULTS: Final = "/results"
_POINTER: Final = 8
_OUTPUTS: Final = "outputs"
_TOLD: Final = "told"


def run_launches(
    program: Program,
    launches: Sequence[KernelLaunch],
    *,
    resident_bytes: int = MAX_RESIDENT_BYTES,
) -> tuple[Execution, ...]:
    """Run `launches` one after another and return what came of each.

    Where the whole program is ended early, for want of memory say, the launch that it was at is
    `killed`, and those
    that it did not come to run anew. Raises `MissingTool` where the sandbox does not work: a
    kernel never runs outside
    it; and `AllowanceSpent` where the kernel had been given so much of the processor, and used
    it up.
    """
    done = _executed(program, launches, resident_bytes, STACK_BYTES)
    narrow = [
        number
        for number, each in enumerate(done)
        if each.find_finding("stack-overflow")
    ]
    again = _executed(
        program,
        [launches[number] for number in narrow],
        resident_bytes,
        WIDE_STACK_BYTES,
    )
    wider = dict(zip(narrow, again, strict=True))
    return tuple(wider.get(number, each) for number, each in enumerate(done))


def _executed(
    program: Program,
    launches: Sequence[KernelLaunch],
    resident_bytes: int,
    stack_bytes: int,
) -> list[Execution]:
    """Return what came of each launch, in as many runs of the program as it takes."""
    done: list[Execution] = []
    while len(done) < len(launches):
        left = launches[len(done) :]
        found = _in_one_run(program, left, resident_bytes, stack_bytes)
        charge_endless_runs(left[: len(found)], found)
        done += found
    return done


def _in_one_run(
    program: Program,
    launches: Sequence[KernelLaunch],
    resident_bytes: int,
    stack_bytes: int,
) -> tuple[Execution, ...]:
    """Return what came of the launches that a program came to before it ended."""
    folder = Path(tempfile.mkdtemp(prefix="kernelset-run-"))
    try:
        work, results = folder / "work", folder / "results"
        for each in (folder, work, results):
            each.mkdir(exist_ok=True)
            each.chmod(0o755)
        _write(program, launches, work, stack_bytes)
        ended = _run(launches, work, results, resident_bytes)
        return tuple(_collected(launches, results, ended))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(
    program: Program, launches: Sequence[KernelLaunch], work: Path, stack_bytes: int
) -> None:
    text, inputs = encode_job(launches, stack_bytes)
    (work / "program").write_bytes(program.executable)
    (work / "program").chmod(0o755)
    (work / "job").write_text(text, "ascii")
    (work / "inputs").write_bytes(inputs)


def _run(
    launches: Sequence[KernelLaunch], work: Path, results: Path, resident_bytes: int
) -> CompletedProcess:
    argv = (
        f"{_WORK}/program",
        f"{_WORK}/job",
        f"{_WORK}/inputs",
        f"{_RESULTS}/{_OUTPUTS}",
        f"{_RESULTS}/{_TOLD}",
    )
    size = sum(buffer.size for launch in launches for buffer in launch.buffers)
    # an arena is gigabytes of address space, of which little is ever touched: no bound on
    # addresses, but on memory
    limits = Limits(
        seconds=_PATIENCE * (_START + sum(launch.max_seconds for launch in launches)),
        resident_bytes=resident_bytes,
        file_bytes=size + (1 << 20),
        scratch_bytes=2 * size + (16 << 20),
        processes=8,
    )
    mounts = (
        Mount(source=work, target=_WORK),
        Mount(
            source=results, target=_RESULTS, writable=True, copy_back=(_OUTPUTS, _TOLD)
        ),
    )
    return sandbox.run(argv, mounts=mounts, cwd=_RESULTS, limits=limits)


def _collected(
    launches: Sequence[KernelLaunch], results: Path, ended: CompletedProcess
) -> Iterator[Execution]:
    told = _text(results / _TOLD)
    outputs = (
        (results / _OUTPUTS).read_bytes() if (results / _OUTPUTS).is_file() else b""
    )
    found = list(parse_executions(told))
    at = 0
    for number, launch in enumerate(launches):
        sizes = [buffer.size for buffer in launch.buffers]
        if number >= len(found):
            yield Execution(
                outcome=Outcome.TIMEOUT if ended.timed_out else Outcome.KILLED
            )
            if ended.timed_out:
                continue
            return
        parts = _parts(outputs, at, sizes)
        yield replace(
            found[number], buffers=tuple(map(_without_pointers, launch.buffers, parts))
        )
        at += sum(sizes)


def _parts(outputs: bytes, at: int, sizes: Sequence[int]) -> Iterator[bytes]:
    for size in sizes:
        yield outputs[at : at + size]
        at += size


def _without_pointers(buffer: Buffer, content: bytes) -> bytes:
    """Return what a buffer holds with its pointers null: where they point is another place in
    each run.
    """
    if not buffer.pointers:
        return content
    cleared = bytearray(content)
    for at, _ in buffer.pointers:
        cleared[at : at + _POINTER] = bytes(_POINTER)
    return bytes(cleared)


def _text(path: Path) -> str:
    return (
        path.read_text("ascii", "replace")
        if path.is_file() and not path.is_symlink()
        else ""
    )
