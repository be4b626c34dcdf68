"""Run a built program in the sandbox and read what its launches did."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.work_folder import make_readable_folder, open_work_folder
from crawler.toolchains import system_files
from crawler.validate.programs.host_build.program_build import HostProgram
from crawler.validate.programs.runs.launch_log import LaunchLog, parse_launch_log
from crawler.validate.recordings.record_file import read_record_file
from crawler.validate.recordings.recorded_launch import RecordedLaunch

RUN_SECONDS: Final = 10
_CLOCK_FACTOR: Final = 6
_RESIDENT_BYTES: Final = 4 << 30
_MAX_LOG_BYTES: Final = 64 << 20
_MAX_PROCESSES: Final = 64
_MAX_OUTPUT_BYTES: Final = 1 << 20
_MAX_ERROR_BYTES: Final = 1 << 16
_PROGRAM: Final = "/program"
_RESULTS: Final = "/results"
_LOG: Final = "log"
_RECORD: Final = "launches"
FORWARD: Final = 0
REVERSE: Final = 1
POISON: Final = 0xFF
ZERO: Final = 0
ORDINARY: Final = 0x4F
"""Makes large numbers of any type, where `POISON` makes no number: a maximum and a comparison pass
that by.
"""


EACH_KERNEL: Final = -2
"""In place of a kernel's number: whichever it is."""


class Change(StrEnum):
    """What is done to a kernel's results, to see whether its program looks at them."""

    SKIP = "KERNELSET_SKIP"
    """Its threads end before they do anything."""
    SPOIL = "KERNELSET_SPOIL"
    """Some of what it wrote is changed when a launch ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRun:
    """One run of a program to its end."""

    log: LaunchLog
    exit_code: int
    output: str
    """The end of standard output."""
    errors: str = ""
    """The end of standard error, to which many programs write that a check failed."""
    timed_out: bool = False
    seconds: float = 0.0
    """By the clock."""
    recordings: tuple[RecordedLaunch, ...] = ()
    """Launches with all that they were given, where it was asked for them."""


def run_host_program(
    program: HostProgram,
    *,
    root: Path,
    directory: str,
    arguments: Sequence[str] = (),
    order: int = FORWARD,
    fill: int = POISON,
    change: tuple[Change, int] | None = None,
    seconds: int = RUN_SECONDS,
    call: str = "",
    records: bool = False,
    contents: int = 0,
) -> ProgramRun:
    """Run a program in `directory` of the checkout `root`, which it sees read-only.

    Its threads run in `order`; memory that nobody wrote holds `fill` in each byte. With `change`
    the results of the kernel of that number, or of each, are changed so. It has `seconds` of the
    processor. `call` is what a program that calls a launcher is to do, and `contents` which numbers
    the memory that it makes holds: see `torch_calls/calls.h`. With `records` some of its launches
    are recorded.
    Raises `MissingTool` where the sandbox does not work.
    """
    variables = {
        "KERNELSET_LOG": f"{_RESULTS}/{_LOG}",
        "KERNELSET_ORDER": str(order),
        "KERNELSET_FILL": str(fill),
        "KERNELSET_SECONDS": str(seconds),
        "KERNELSET_CALL": call,
        "KERNELSET_CONTENTS": str(contents),
    }
    variables |= _make_optional_variables(change, records)
    start = time.monotonic()
    with _open_run_folders(program) as (work, results):
        completed = sandbox.run(
            (f"{_PROGRAM}/program", *arguments),
            mounts=(
                Mount(source=work, target=_PROGRAM),
                Mount(source=root, target="/checkout"),
                _mount_results(results, records),
            ),
            cwd=f"/checkout/{directory}",
            env=variables,
            limits=_limit_run(seconds),
            keep=_MAX_OUTPUT_BYTES,
            system=system_files.list_runtime_files(),
        )
        log_text = _read_log(results / _LOG)
        recordings = tuple(read_record_file(results / _RECORD)) if records else ()

    return ProgramRun(
        log=parse_launch_log(log_text),
        exit_code=completed.exit_code,
        output=completed.output.decode("utf-8", "replace"),
        errors=completed.errors[-_MAX_ERROR_BYTES:].decode("utf-8", "replace"),
        timed_out=completed.timed_out,
        seconds=time.monotonic() - start,
        recordings=recordings,
    )


def _make_optional_variables(
    change: tuple[Change, int] | None, records: bool
) -> dict[str, str]:
    variables: dict[str, str] = {}
    if records:
        variables["KERNELSET_RECORD"] = f"{_RESULTS}/{_RECORD}"
    if change is not None:
        variables[change[0].value] = str(change[1])

    return variables


def _mount_results(folder: Path, records: bool) -> Mount:
    """Return the mount of the only folder that a program may write to."""
    return Mount(
        source=folder,
        target=_RESULTS,
        writable=True,
        copy_back=(_LOG, _RECORD) if records else (_LOG,),
    )


@contextmanager
def _open_run_folders(program: HostProgram) -> Iterator[tuple[Path, Path]]:
    """Make a folder with the program and one for what it leaves, and remove both in the end."""
    with open_work_folder("program") as folder:
        work = make_readable_folder(folder / "work")
        results = make_readable_folder(folder / "results")
        executable = work / "program"
        executable.write_bytes(program.executable)
        executable.chmod(0o755)
        yield work, results


def _limit_run(seconds: int) -> Limits:
    return Limits(
        # by the clock longer, since others may need the processor, too
        seconds=seconds * _CLOCK_FACTOR,
        # the program ends itself before
        cpu_seconds=2 * seconds,
        resident_bytes=_RESIDENT_BYTES,
        file_bytes=_MAX_LOG_BYTES,
        scratch_bytes=2 * _MAX_LOG_BYTES,
        processes=_MAX_PROCESSES,
    )


def _read_log(log: Path) -> str:
    # a program may have put a link in its place
    if not log.is_file() or log.is_symlink():
        return ""
    return log.read_text("ascii", "replace")
