"""Run each unit in a process group of its own with a time limit, then check the device. Entry
point of the runner.
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

from .driver import Driver, DriverError, DriverNotFound
from .manifest import Job, Unit, read_job, read_units
from .session import ResultWriter, Session, check_health, check_memory, open_device
from .timing import time_case
from .vendors import VENDORS

_OBEYED_SECONDS = 10.0
_HEALTH_SECONDS = 30.0
_STEP = 0.002
# how the process of a unit ends
_CLEAN, _LOST, _NO_DEVICE, _BROKEN = 0, 3, 4, 5


def main(argv: list[str]) -> int:
    """Run `BUNDLE RESULTS [LIBRARY]`, or tell of the devices of `--probe RUNTIME [LIBRARY]`; 0
    once all is told.
    """
    if argv[:1] == ["--probe"] and len(argv) in (2, 3):
        return _probe(argv[1], argv[2] if len(argv) == 3 else "")
    if len(argv) not in (2, 3):
        sys.stderr.write(
            "usage: runner BUNDLE RESULTS [LIBRARY] | --probe RUNTIME [LIBRARY]\n"
        )
        return 2
    folder, target = Path(argv[0]), Path(argv[1])
    library = argv[2] if len(argv) == 3 else ""
    wanted = read_job(folder)
    for unit in read_units(folder):
        _Task(folder, unit, wanted, target / unit.name, library).supervise()
    return 0


def _probe(runtime: str, library: str) -> int:
    index, count = 0, 1
    while index < count:
        try:
            driver = Driver(VENDORS[runtime], library, index)
        except (DriverNotFound, DriverError) as error:
            sys.stdout.write(json.dumps({"index": index, "message": str(error)}) + "\n")
        else:
            count = driver.device_count
            sys.stdout.write(json.dumps({"index": index, **_described(driver)}) + "\n")
            driver.close()
        index += 1
    return 0


def _described(driver: Driver) -> dict[str, Any]:
    """Return what a device says of itself, and what is wrong with it."""
    try:
        return {**driver.describe(), "wrong": check_memory(driver)}
    except DriverError as error:
        return {"wrong": str(error)}


class _Task:
    """A unit, and where what comes of it is told."""

    def __init__(
        self, folder: Path, unit: Unit, wanted: Job, target: Path, library: str
    ) -> None:
        self.folder, self.unit, self.wanted, self.target, self.library = (
            folder,
            unit,
            wanted,
            target,
            library,
        )

    def supervise(self) -> None:
        """Run the unit, and once more only what shows whether the device still does as it ought
        to.
        """
        self.target.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        ended = _alone(self._run, self.wanted.seconds)
        self._tell("end", seconds=time.monotonic() - began, **ended)
        if ended["exit"] in (_CLEAN, _NO_DEVICE):
            return
        looked = _alone(self._look, _HEALTH_SECONDS)
        if looked["exit"] != _CLEAN:
            self._tell(
                "health",
                ok=False,
                message=f"the process that looked at the device ended so: {looked}",
            )

    def _tell(self, what: str, **facts: Any) -> None:
        results = ResultWriter(self.target)
        results.write_line(what, **facts)
        results.close()

    def _run(self) -> int:
        results = ResultWriter(self.target)
        driver = open_device(self.unit.runtime, self.library, results)
        if driver is None:
            return _NO_DEVICE
        free, _ = driver.free_and_total_memory()
        session = Session(self.folder, self.unit, driver, results)
        alive = session.run() and (
            self.wanted.timing is None or time_case(session, self.wanted)
        )
        if not alive:
            return _LOST
        results.write_line(
            "memory", before=free, after=driver.free_and_total_memory()[0]
        )
        return self._looked(driver, results)

    def _look(self) -> int:
        results = ResultWriter(self.target)
        driver = open_device(self.unit.runtime, self.library, results)
        return _BROKEN if driver is None else self._looked(driver, results)

    def _looked(self, driver: Driver, results: ResultWriter) -> int:
        wrong = check_health(self.folder, self.wanted, driver)
        results.write_line("health", ok=not wrong, message=wrong)
        driver.close()
        results.close()
        return _CLEAN


def _alone(work: Callable[[], int], seconds: float) -> dict[str, Any]:
    """Run `work` in a new process, the leader of a group that ends with it, and return how it
    ended.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _become(work)
    status, timed_out = _waited(child, seconds)
    _end_group(child)
    if status is None:
        status = _after_kill(child)
    if status is None:
        return {"exit": -1, "signal": 0, "timed_out": True, "stuck": True}
    signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return {
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1,
        "signal": signalled,
        "timed_out": timed_out,
        "stuck": False,
    }


def _become(work: Callable[[], int]) -> None:
    """Do the work as the first of a new session, and end without what the parent would do at
    its end.
    """
    code = _BROKEN
    try:
        os.setsid()
        code = work()
    except (DriverError, DriverNotFound, OSError, ValueError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)


def _waited(child: int, seconds: float) -> tuple[int | None, bool]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status, False
        time.sleep(_STEP)
    return None, True


def _end_group(child: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)


def _after_kill(child: int) -> int | None:
    """Reap a killed process; `None` where it does not die, because its driver holds it."""
    status, stuck = _waited(child, _OBEYED_SECONDS)
    return None if stuck else status
