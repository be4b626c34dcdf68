"""A plugin of pytest that gives a project's tests a CUDA device, and says what came of each.

It reads a plan and appends records, each a line of JSON, as soon as they are known: whatever ends
the process, they stay.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

_MAX_MESSAGE_LENGTH = 2000
_CLOCK_FACTOR = 3


class _Runtime:
    """The library in which kernels run."""

    def __init__(self) -> None:
        # extensions and PyTorch's device find it by its symbols
        path = os.environ["KERNELSET_RUNTIME"]
        self._library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)

    def begin_test(self, number: int) -> None:
        self._library.kernelset_begin_test(number)

    def change(self, kind: str, kernel: int, arguments: str) -> None:
        """Skip or spoil a kernel's instantiation from here on; -1 for none."""
        for name in ("skip", "spoil"):
            chosen = kernel if name == kind else -1
            function = getattr(self._library, f"kernelset_{name}")
            function(ctypes.c_int(chosen), ctypes.c_char_p(arguments.encode()))


class _Suite:
    """The tests that are run, each plain or with a kernel changed."""

    def __init__(self, runtime: _Runtime, plan: dict[str, Any], records: Path) -> None:
        self._runtime = runtime
        self._plan = plan
        self._records = records
        self._current: dict[str, Any] = {}

    def select(self, items: list[Any]) -> list[Any]:
        """Return the items that are run: those of the plan, where it names any."""
        for number, item in enumerate(items, start=1):
            item.kernelset_number = number
        self._write({"number": len(items), "test": "", "outcome": "collected"})

        wanted_tests = self._plan.get("tests")
        if wanted_tests is not None:
            numbers = set(wanted_tests)
            items = [item for item in items if item.kernelset_number in numbers]

        first = self._plan.get("first", 0)
        return [item for item in items if item.kernelset_number >= first]

    def leave_to_next(self, item: Any) -> bool:
        """Tell whether this process has taken so long that the next one goes on with an item."""
        is_spent = time.process_time() > self._plan["pause_seconds"]
        if is_spent and self._current:
            record = {"number": item.kernelset_number, "test": item.nodeid}
            self._write({**record, "outcome": "paused"})
        return is_spent and bool(self._current)

    def run(self, item: Any, run_protocol: Any) -> None:
        """Run an item once for each change that is planned for it, and then plain."""
        changes = self._plan["changes"].get(str(item.kernelset_number), [])
        for change in [*changes, None]:
            self._begin(item, change)
            run_protocol()
            self._end()

    def note_uncollected(self, report: Any) -> None:
        """Take notice of a file whose tests could not be read."""
        message = str(report.longrepr)[-_MAX_MESSAGE_LENGTH:]
        record = {"number": 0, "test": report.nodeid, "outcome": "uncollected"}
        self._write({**record, "message": message})

    def note_report(self, report: Any) -> None:
        """Take notice of what came of a phase of the running test."""
        outcome = report.outcome
        if outcome == "passed" and report.when != "call":
            return
        # what failed first is why
        if self._current.get("outcome") in ("failed", "skipped"):
            return

        self._current["outcome"] = outcome
        if outcome != "passed":
            text = str(report.longrepr)
            self._current["message"] = text[-_MAX_MESSAGE_LENGTH:]

    def _begin(self, item: Any, change: list[Any] | None) -> None:
        self._current = {"number": item.kernelset_number, "test": item.nodeid}
        self._current["change"] = change
        self._write({**self._current, "outcome": "begun"})
        kind, kernel, arguments = change or ("", -1, "")
        self._runtime.change(kind, kernel, arguments)
        self._runtime.begin_test(item.kernelset_number)
        # whoever waits for a kernel that does nothing waits without end, in code that sees no
        # signal of Python's: the process ends
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, self._plan["test_seconds"])
        # others may need the processor, too
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_CLOCK_FACTOR * self._plan["test_seconds"])
        _seed_generators()
        self._began = time.process_time()

    def _end(self) -> None:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        self._current.setdefault("outcome", "unknown")
        self._current["seconds"] = time.process_time() - self._began
        self._runtime.begin_test(0)
        self._runtime.change("", -1, "")
        self._write(self._current)

    def _write(self, record: dict[str, Any]) -> None:
        with self._records.open("a") as file:
            file.write(json.dumps(record) + "\n")


def _seed_generators() -> None:
    """Let each test draw the same numbers in every run, so that runs can be compared."""
    import torch

    random.seed(0)
    torch.manual_seed(0)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def _open_suite() -> _Suite:
    runtime = _Runtime()
    # before PyTorch is imported: it asks only once whether there is a CUDA device
    ctypes.CDLL(os.environ["KERNELSET_TORCH_DEVICE"], mode=ctypes.RTLD_GLOBAL)
    importlib.import_module("cuda_python").install()
    # what an extension lacks is missed when it is called
    sys.setdlopenflags(os.RTLD_LAZY | os.RTLD_LOCAL)
    plan = json.loads(Path(os.environ["KERNELSET_PLAN"]).read_text())
    records = Path(os.environ["KERNELSET_RECORDS"])
    return _Suite(runtime, plan, records)


_SUITE = _open_suite()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Keep the tests of the plan."""
    items[:] = _SUITE.select(items)


def pytest_collectreport(report: Any) -> None:
    """Tell of files whose tests could not be read."""
    if report.failed:
        _SUITE.note_uncollected(report)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: Any, nextitem: Any) -> bool:
    """Run an item as the plan has it."""
    from _pytest.runner import runtestprotocol

    def run_protocol() -> None:
        if hasattr(item, "_initrequest"):
            item._initrequest()
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            _SUITE.note_report(report)

    if _SUITE.leave_to_next(item):
        item.session.shouldstop = "the next process goes on"
    else:
        _SUITE.run(item, run_protocol)
    return True
