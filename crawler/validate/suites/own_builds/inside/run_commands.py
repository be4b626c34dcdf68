"""Run the tests of a project that was built, each a command; only the standard library is here.

It reads a plan and appends records, each a line of JSON, as soon as they are known: whatever ends
the process, they stay.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any, Final

_MAX_MESSAGE_LENGTH: Final = 2000
_MAX_LOG_TAIL_BYTES: Final = 4096
_FIRST_SIGNAL: Final = 128
"""Exit codes from here on are of processes that a signal ended."""
_CHANGE_VARIABLES: Final = {"skip": "KERNELSET_SKIP", "spoil": "KERNELSET_SPOIL"}
# what GoogleTest prints of a test that skips itself
_SKIPPED_TEST: Final = re.compile(rb"^\[  SKIPPED \] \d", re.MULTILINE)
# what CTest prints behind a test's name
_SKIPPED_BY_CTEST: Final = re.compile(rb"\*\*\*(?:Skipped|Not Run)|No tests were found")
_CRASHED_BY_CTEST: Final = re.compile(rb"\*\*\*(?:Exception|Timeout)")


class Runner:
    """The tests that are run, each plain or with a kernel changed."""

    def __init__(self, plan: dict[str, Any], tests: list[dict[str, Any]]) -> None:
        self._plan = plan
        self._tests = tests
        self._records = Path(os.environ["KERNELSET_RECORDS"])
        self._log = Path(os.environ["KERNELSET_LOG"])

    def run(self) -> None:
        """Run the tests of the plan, all where it names none."""
        wanted_tests = self._plan.get("tests")
        for number, test in enumerate(self._tests, start=1):
            is_wanted = wanted_tests is None or number in wanted_tests
            if is_wanted and number >= self._plan["first"]:
                self._run_test(number, test)

    def _run_test(self, number: int, test: dict[str, Any]) -> None:
        for change in [*self._plan["changes"].get(str(number), []), None]:
            record = {"number": number, "test": test["name"], "change": change}
            self._write({**record, "outcome": "begun"})
            self._log_test(number)
            began = _get_child_seconds()
            outcome, message = self._run_command(number, test, change)
            self._log_test(0)
            seconds = _get_child_seconds() - began
            result = {"outcome": outcome, "message": message, "seconds": seconds}
            self._write({**record, **result})

    def _run_command(
        self, number: int, test: dict[str, Any], change: list[Any] | None
    ) -> tuple[str, str]:
        """Return what came of a test, and the end of what it printed."""
        variables = {**os.environ, **test["variables"], "KERNELSET_TEST": str(number)}
        if change is not None:
            kind, kernel, arguments = change
            variables[_CHANGE_VARIABLES[kind]] = str(kernel)
            variables["KERNELSET_CHANGED_ARGUMENTS"] = arguments

        process = subprocess.Popen(
            test["command"],
            cwd=test["directory"],
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=self._plan["test_seconds"])
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            # whatever has left the group may keep the other end
            if process.stdout is not None:
                process.stdout.close()
            process.wait()
            return "too slow", f"it took over {self._plan['test_seconds']} s"

        message = output[-_MAX_MESSAGE_LENGTH:].decode("utf-8", "replace")
        outcome = _read_outcome(test["kind"], process.returncode, output)
        if outcome == "failed" and self._is_launch_unfinished():
            outcome = "crashed"
        return outcome, "" if outcome == "passed" else message

    def _is_launch_unfinished(self) -> bool:
        """Tell whether a process ended in the midst of a kernel: `end NUMBER 0 …` is the last."""
        try:
            with self._log.open("rb") as file:
                file.seek(max(0, self._log.stat().st_size - _MAX_LOG_TAIL_BYTES))
                lines = file.read().splitlines()
        except OSError:
            return False
        ends = [line.split() for line in lines if line.startswith(b"end ")]
        return bool(ends) and ends[-1][2:3] == [b"0"]

    def _log_test(self, number: int) -> None:
        """Let the log say whose launches follow."""
        with self._log.open("a") as file:
            file.write(f"test {number}\n")

    def _write(self, record: dict[str, Any]) -> None:
        with self._records.open("a") as file:
            file.write(json.dumps(record) + "\n")


def _read_outcome(kind: str, code: int, output: bytes) -> str:
    if kind == "ctest":
        if _CRASHED_BY_CTEST.search(output):
            return "crashed"
        if _SKIPPED_BY_CTEST.search(output):
            return "skipped"
    if kind == "googletest" and code == 0 and _SKIPPED_TEST.search(output):
        return "skipped"
    if code < 0 or code >= _FIRST_SIGNAL:
        return "crashed"

    return "failed" if code else "passed"


def _get_child_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _keep_numbers(kernels: Path) -> None:
    """Let compilers that a test calls number kernels as the build has done."""
    if kernels.is_file():
        results = Path(os.environ["KERNELSET_RECORDS"]).parent
        shutil.copyfile(kernels, results / kernels.name)


def main() -> None:
    """Lay out what was built, and run its tests as the plan says."""
    words = ["tar", "-xf", os.environ["KERNELSET_TREE"], "-C", "/"]
    subprocess.run(words, check=False, stderr=subprocess.DEVNULL)
    _keep_numbers(Path(os.environ["KERNELSET_KERNELS"]))
    plan = json.loads(Path(os.environ["KERNELSET_PLAN"]).read_text())
    tests = json.loads(Path(os.environ["KERNELSET_TESTS"]).read_text())
    Runner(plan, tests).run()


if __name__ == "__main__":
    main()
