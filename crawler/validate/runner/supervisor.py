"""Run each unit in a process group of its own with a time limit, then check the device.

This is the entry point of the runner.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .driver import Driver
from .driver_calls import DriverError, DriverNotFound
from .manifest import Job, Unit, read_job, read_units
from .session import ResultWriter, Session, check_health, check_memory, open_device
from .timing import time_case
from .vendors import VENDORS

_USAGE = "usage: runner BUNDLE RESULTS [LIBRARY] | --probe RUNTIME [LIBRARY]\n"
_KILL_SECONDS = 10.0
"""Within which a killed process ends, unless its driver holds it."""
_HEALTH_SECONDS = 30.0
_POLL_SECONDS = 0.002
# Exit codes of the process of a unit.
_CLEAN = 0
_DEVICE_LOST = 3
_NO_DEVICE = 4
_BROKEN = 5


def main(argv: list[str]) -> int:
    """Run `BUNDLE RESULTS [LIBRARY]`, or describe the devices of `--probe RUNTIME [LIBRARY]`.

    Returns 0 once everything is reported, also where units failed.
    """
    if argv[:1] == ["--probe"] and len(argv) in (2, 3):
        library = argv[2] if len(argv) == 3 else ""
        return _probe_devices(argv[1], library)

    if len(argv) not in (2, 3):
        sys.stderr.write(_USAGE)
        return 2

    folder = Path(argv[0])
    results_folder = Path(argv[1])
    library = argv[2] if len(argv) == 3 else ""
    job = read_job(folder)

    for unit in read_units(folder):
        task = _Task(folder, unit, job, results_folder / unit.name, library)
        task.supervise()

    return 0


def _probe_devices(runtime: str, library: str) -> int:
    """Write a line of JSON for each device."""
    index = 0
    device_count = 1

    while index < device_count:
        try:
            driver = Driver(VENDORS[runtime], library, index)
        except (DriverNotFound, DriverError) as error:
            description: dict[str, Any] = {"index": index, "message": str(error)}
            sys.stdout.write(json.dumps(description) + "\n")
        else:
            device_count = driver.device_count
            description = {"index": index, **_describe_device(driver)}
            sys.stdout.write(json.dumps(description) + "\n")
            driver.close()

        index += 1

    return 0


def _describe_device(driver: Driver) -> dict[str, Any]:
    """Return the properties of a device, and what is wrong with it."""
    try:
        return {**driver.describe(), "wrong": check_memory(driver)}
    except DriverError as error:
        return {"wrong": str(error)}


class _Task:
    """A unit to run, and the folder of its report."""

    def __init__(
        self, folder: Path, unit: Unit, job: Job, results_folder: Path, library: str
    ) -> None:
        self.folder = folder
        self.unit = unit
        self.job = job
        self.results_folder = results_folder
        self.library = library

    def supervise(self) -> None:
        """Run the unit in a process; where that does not end well, check the device in another."""
        self.results_folder.mkdir(
            parents=True,
            exist_ok=True,
        )

        # A kernel that hangs or crashes its process costs that process alone.
        start = time.monotonic()
        ending = _run_in_child(self._run_unit, self.job.seconds)
        self._write_line(
            "end",
            seconds=time.monotonic() - start,
            **ending,
        )

        if ending["exit"] in (_CLEAN, _NO_DEVICE):
            return

        check_ending = _run_in_child(self._check_device, _HEALTH_SECONDS)
        if check_ending["exit"] != _CLEAN:
            self._write_line(
                "health",
                ok=False,
                message=(
                    f"the process that looked at the device ended so: {check_ending}"
                ),
            )

    def _write_line(self, kind: str, **facts: Any) -> None:
        results = ResultWriter(self.results_folder)
        results.write_line(kind, **facts)
        results.close()

    def _run_unit(self) -> int:
        results = ResultWriter(self.results_folder)
        driver = open_device(self.unit.runtime, self.library, results)
        if driver is None:
            return _NO_DEVICE

        # Memory that a unit does not give back shows in the difference.
        free_before, _ = driver.free_and_total_memory()
        session = Session(self.folder, self.unit, driver, results)
        if not session.run():
            return _DEVICE_LOST
        if self.job.timing is not None and not time_case(session, self.job):
            return _DEVICE_LOST

        free_after, _ = driver.free_and_total_memory()
        results.write_line(
            "memory",
            before=free_before,
            after=free_after,
        )

        return self._report_health(driver, results)

    def _check_device(self) -> int:
        results = ResultWriter(self.results_folder)
        driver = open_device(self.unit.runtime, self.library, results)
        if driver is None:
            return _BROKEN

        return self._report_health(driver, results)

    def _report_health(self, driver: Driver, results: ResultWriter) -> int:
        problem = check_health(self.folder, self.job, driver)
        results.write_line(
            "health",
            ok=not problem,
            message=problem,
        )

        driver.close()
        results.close()

        return _CLEAN


def _run_in_child(work: Callable[[], int], seconds: float) -> dict[str, Any]:
    """Run `work` in a new process, which leads a group that ends with it; return its ending."""
    # What is buffered would be written by both processes.
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _run_as_child(work)

    status, has_timed_out = _wait_for(child, seconds)
    # Also what the unit itself may have started.
    _kill_group(child)
    if status is None:
        status, _ = _wait_for(child, _KILL_SECONDS)
    if status is None:
        # The process does not die, because its driver holds it.
        return {"exit": -1, "signal": 0, "timed_out": True, "stuck": True}

    return {
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "timed_out": has_timed_out,
        "stuck": False,
    }


def _run_as_child(work: Callable[[], int]) -> None:
    """Do the work as the leader of a new session, and exit without the parent's exit handlers."""
    code = _BROKEN
    try:
        # The group of the session is what is killed in the end.
        os.setsid()
        code = work()
    except (DriverError, DriverNotFound, OSError, ValueError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)


def _wait_for(child: int, seconds: float) -> tuple[int | None, bool]:
    """Return the status of a process that ended, and whether it did not in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        reaped, status = os.waitpid(child, os.WNOHANG)
        if reaped:
            return status, False

        time.sleep(_POLL_SECONDS)

    return None, True


def _kill_group(child: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
