"""What came of each test of a suite, as its records tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

PASSED: Final = "passed"
FAILED: Final = "failed"
CRASHED: Final = "crashed"
TOO_SLOW: Final = "too slow"
PAUSED: Final = "paused"
_MAX_RECORD_LENGTH: Final = 16 << 10
"""Of a line: a test may write there what it likes."""


class KernelChange(msgspec.Struct, frozen=True, array_like=True):
    """What is done to a kernel while a test runs."""

    kind: str
    """`skip`: its threads end at once; `spoil`: some of what it wrote is changed."""
    kernel: int
    arguments: str
    """Of the instantiation that is meant, as `LoggedLaunch` has them."""


class TestRecord(msgspec.Struct, frozen=True):
    """What came of one test, or of one with a kernel changed."""

    __test__ = False

    number: int
    """In the order in which pytest collects, from 1; 0 for a file that it could not read."""
    test: str
    """As pytest names it: `test/test_scatter.py::test_forward[0]`."""
    outcome: str
    """`passed`, `failed`, `skipped`, `crashed` where the process ended within it, `too slow` where
    its time did, `uncollected` for a file; `paused` where the process left it to the next one.
    """
    change: KernelChange | None = None
    message: str = ""
    seconds: float = 0.0
    """Of the processor."""


def resume_behind(
    crashed: TestRecord, changes: Mapping[int, tuple[KernelChange, ...]]
) -> tuple[int, Mapping[int, tuple[KernelChange, ...]]]:
    """Return the number of the test to go on with, and the changes that are left."""
    planned = changes.get(crashed.number, ())
    if crashed.change not in planned:
        return crashed.number + 1, changes

    remaining_changes = planned[planned.index(crashed.change) + 1 :]
    return crashed.number, {**changes, crashed.number: remaining_changes}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessRecords:
    """What one process of a run wrote down."""

    finished: list[TestRecord]
    unfinished: TestRecord | None
    """The test that the process died in, or that it left to the next process; if any."""
    collected: int
    """Tests that there are, whether or not they are run; 0 where nobody said."""


def read_records(lines: Iterable[str]) -> ProcessRecords:
    """Read the records of one process."""
    finished: list[TestRecord] = []
    unfinished: TestRecord | None = None
    collected = 0

    for line in lines:
        if len(line) > _MAX_RECORD_LENGTH:
            continue
        try:
            record = msgspec.json.decode(line, type=TestRecord)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue

        if record.outcome == "collected":
            collected = record.number
        elif record.outcome in ("begun", PAUSED):
            unfinished = record
        else:
            unfinished = None
            finished.append(record)

    return ProcessRecords(finished=finished, unfinished=unfinished, collected=collected)
