"""What the launches of a program did, as its run logged it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

_LAUNCH_VALUES: Final = 10
_FINDING_VALUES: Final = 13
_WROTE_VALUES: Final = 4
_END_VALUES: Final = 3
"""Words of a line behind its first."""
_MAX_NAME_LENGTH: Final = 100
_MAX_DIGITS: Final = 20
_MAX_FINDINGS: Final = 64
"""Of a launch: more than there are kinds."""
_MAX_NAMES: Final = 100
"""Calls and files that are kept: who asks for more has told enough."""
_MAX_LAUNCHES: Final = 200_000
_MAX_INSTANCES: Final = 10_000
_MAX_ARGUMENTS_LENGTH: Final = 1000
_NO_KERNEL: Final = -1
InstanceKey = tuple[int, str]
"""A kernel's number and the arguments of its instantiation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchFinding:
    """What was wrong with a launch, where it was seen first."""

    kind: str
    times: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    line: int
    """In the source, where it is known; else 0."""
    allocation: int
    """-1: none, -2: shared memory."""
    offset: int
    """Bytes from its begin."""
    size: int
    """Bytes of the allocation."""


@dataclass(slots=True, kw_only=True)
class LoggedLaunch:
    """A launch of a program, in the order of its run."""

    number: int
    kernel: int
    """The number of its kernel; -1 where no thread began."""
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    arguments: str = ""
    """Of its template, as clang writes them: `[T = float, N = 3]`; empty for no template."""
    test: int = 0
    """The number of the test that it is part of; 0 outside of any."""
    findings: list[LaunchFinding] = field(default_factory=list)
    written: str = ""
    """Digest of the bytes that it wrote, as they were when it ended."""
    overwritten: str = ""
    """Digest of those of them that several threads wrote, with nothing between."""
    is_finished: bool = False
    seconds: float = 0.0
    """Of the processor."""

    @property
    def instance(self) -> InstanceKey:
        """Which kernel it is, and which instantiation of it."""
        return self.kernel, self.arguments

    def find_finding(self, kind: str) -> LaunchFinding | None:
        """Return the finding of a kind; `None` where there is none."""
        return next(
            (finding for finding in self.findings if finding.kind == kind), None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchLog:
    """What a run of a program logged."""

    launches: tuple[LoggedLaunch, ...] = ()
    refused_calls: tuple[str, ...] = ()
    """Functions of the runtime that the model lacks."""
    failed_calls: tuple[int, ...] = ()
    """Errors that functions of the runtime returned, by CUDA's numbers."""
    copies_unwritten: int = 0
    """Bytes that nobody wrote and that were copied to the host."""
    missing_files: tuple[str, ...] = ()
    """Files that it wanted to read and that are not there."""
    is_out_of_time: bool = False
    """Whether the program was ended since it took too long."""


def parse_launch_log(text: str) -> LaunchLog:
    """Return what a log tells.

    A run may have been ended in the midst of a line, and its program may have written nonsense
    there: lines that are none of a log's are passed over.
    """
    reader = _LogReader()
    for line in text.splitlines():
        word, *values = line.split() or [""]
        reader.read_line(word, values)

    return LaunchLog(
        launches=tuple(reader.launches),
        refused_calls=tuple(reader.refused_calls),
        failed_calls=tuple(reader.failed_calls),
        copies_unwritten=reader.unwritten_bytes,
        missing_files=tuple(reader.missing_files),
        is_out_of_time=reader.is_out_of_time,
    )


class _LogReader:
    """What the lines read so far have told."""

    def __init__(self) -> None:
        self.launches: list[LoggedLaunch] = []
        self.refused_calls: dict[str, None] = {}
        self.failed_calls: dict[int, None] = {}
        self.missing_files: dict[str, None] = {}
        self.unwritten_bytes = 0
        self.arguments: dict[int, str] = {}
        self.test = 0
        self.is_out_of_time = False

    def read_line(self, word: str, values: list[str]) -> None:
        """Take notice of a line, by its first word and what follows it."""
        if word == "launch" and len(values) == _LAUNCH_VALUES:
            self._read_launch(values)
        elif word in ("finding", "wrote", "end"):
            self._read_detail(word, values)
        elif word == "timeout":
            self.is_out_of_time = True
        elif values:
            self._read_note(word, values)

    def _read_note(self, word: str, values: list[str]) -> None:
        """Take notice of a line about the program, or about launches still to come."""
        number = _to_number(values[0])
        if word == "instance" and len(self.arguments) < _MAX_INSTANCES:
            self.arguments[number] = " ".join(values[2:])[:_MAX_ARGUMENTS_LENGTH]
        elif word == "test":
            self.test = number
        elif word == "unwritten":
            self.unwritten_bytes += number
        elif word == "refused":
            _keep_name(self.refused_calls, values[0])
        elif word == "missing":
            _keep_name(self.missing_files, values[0])
        elif word == "opened":
            self._forget_missing(values[0])
        elif word == "failed" and len(self.failed_calls) < _MAX_NAMES:
            self.failed_calls[number] = None

    def _forget_missing(self, path: str) -> None:
        """Take back that a file is missing which its program finds in another folder."""
        name = PurePosixPath(path).name
        for missing in list(self.missing_files):
            if PurePosixPath(missing).name == name:
                del self.missing_files[missing]

    def _read_launch(self, values: list[str]) -> None:
        if len(self.launches) >= _MAX_LAUNCHES:
            return

        launch = _parse_launch(values)
        launch.arguments = self.arguments.get(_to_number(values[-1]), "")
        launch.test = self.test
        self.launches.append(launch)

    def _read_detail(self, word: str, values: list[str]) -> None:
        """Take notice of a line about the launch that was begun last."""
        if not self.launches:
            return

        launch = self.launches[-1]
        if word == "finding" and len(values) == _FINDING_VALUES:
            if len(launch.findings) < _MAX_FINDINGS:
                launch.findings.append(_parse_finding(values[0], values[1:]))
        elif word == "wrote" and len(values) == _WROTE_VALUES:
            launch.written, launch.overwritten = values[1], values[2]
        elif word == "end" and len(values) == _END_VALUES:
            launch.is_finished = values[1] == "1"
            launch.seconds = _to_number(values[2]) * 1e-9


def _keep_name(names: dict[str, None], name: str) -> None:
    if len(names) < _MAX_NAMES:
        names[name[:_MAX_NAME_LENGTH]] = None


def _parse_launch(values: list[str]) -> LoggedLaunch:
    numbers = [_to_number(value) for value in values]
    return LoggedLaunch(
        number=numbers[0],
        kernel=numbers[1] if numbers[1] >= 0 else _NO_KERNEL,
        grid=(numbers[2], numbers[3], numbers[4]),
        block=(numbers[5], numbers[6], numbers[7]),
        shared_bytes=numbers[8],
    )


def _parse_finding(kind: str, values: list[str]) -> LaunchFinding:
    numbers = [_to_number(value) for value in values]
    return LaunchFinding(
        kind=kind,
        times=numbers[0],
        block=(numbers[1], numbers[2], numbers[3]),
        thread=(numbers[4], numbers[5], numbers[6]),
        line=numbers[7],
        allocation=numbers[8],
        offset=numbers[9],
        size=numbers[11],
    )


def _to_number(value: str) -> int:
    """Return the number of a word; 0 for what is none, or is longer than any of a log's."""
    digits = value.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS
    return int(value) if is_number else 0
