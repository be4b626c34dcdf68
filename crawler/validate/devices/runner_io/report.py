"""Typed view of the report that the runner writes of a unit; lines that it cannot read are left
out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from crawler.validate.runner.session import OUTPUTS_FILE, REPORT_FILE


class DeviceLine(msgspec.Struct, tag_field="what", tag="device", frozen=True):
    """The device, or why there is none."""

    code: str = ""
    message: str = ""
    runtime: str = ""
    name: str = ""
    arch: str = ""
    features: str = ""
    driver: int = 0
    memory_bytes: int = 0
    multiprocessors: int = 0
    clock_khz: int = 0
    memory_clock_khz: int = 0
    memory_bus_bits: int = 0
    l2_bytes: int = 0
    warp: int = 0


class LaunchResult(msgspec.Struct, frozen=True):
    """One of the launches of a case."""

    fill: int
    """What mere outputs held before."""
    broken: tuple[int, ...] = ()
    """Buffers whose guards were changed."""
    late: bool = False
    """Whether something was written after the device had said that it was done."""
    buffers: tuple[tuple[int, int] | None, ...] = ()
    """Place and size of what each holds, `None` where that is what it held before."""


class CaseLine(msgspec.Struct, tag_field="what", tag="case", frozen=True):
    """A case that was launched, or why it was not."""

    name: str
    code: str = ""
    message: str = ""
    refused: bool = False
    runs: tuple[LaunchResult, ...] = ()
    seconds: float = 0.0


class TimingLine(msgspec.Struct, tag_field="what", tag="timing", frozen=True):
    """How long launches of a case took."""

    case: str
    code: str = ""
    message: str = ""
    milliseconds: tuple[float, ...] = ()
    """Of one launch each, by events."""
    host_milliseconds: tuple[float, ...] = ()
    """Of the same, by the host's clock."""
    batch: int = 1
    """Launches that were measured together."""
    checked: int = 0
    """Launches whose outputs were looked at."""
    runs: tuple[LaunchResult, ...] = ()
    """What they left, each output once."""
    unkept: int = 0
    """Launches that left yet another output, when there were many already."""
    sensors: tuple[dict[str, float], ...] = ()
    """Clocks and temperature before and after."""


class EndLine(msgspec.Struct, tag_field="what", tag="end", frozen=True):
    """How the process of a unit ended."""

    exit: int
    signal: int = 0
    timed_out: bool = False
    stuck: bool = False
    seconds: float = 0.0


class HealthLine(msgspec.Struct, tag_field="what", tag="health", frozen=True):
    """Whether the device still does as it ought to."""

    ok: bool
    message: str = ""


class MemoryLine(msgspec.Struct, tag_field="what", tag="memory", frozen=True):
    """Free bytes of the device before and after."""

    before: int
    after: int


ReportLine = DeviceLine | CaseLine | TimingLine | EndLine | HealthLine | MemoryLine


class RunnerReport:
    """All that was told of one unit."""

    def __init__(self, folder: Path) -> None:
        self.lines = tuple(_lines(folder / REPORT_FILE))
        outputs = folder / OUTPUTS_FILE
        self._outputs = (
            outputs.read_bytes()
            if outputs.is_file() and not outputs.is_symlink()
            else b""
        )

    @property
    def device(self) -> DeviceLine | None:
        """The device as it was when the unit came to it."""
        return next((line for line in self.lines if isinstance(line, DeviceLine)), None)

    @property
    def cases(self) -> dict[str, CaseLine]:
        """The cases that were told of, by name."""
        return {line.name: line for line in self.lines if isinstance(line, CaseLine)}

    @property
    def timing(self) -> TimingLine | None:
        """What was measured."""
        return next((line for line in self.lines if isinstance(line, TimingLine)), None)

    @property
    def end(self) -> EndLine | None:
        """How the unit's process ended; `None` where even that which watched it was ended."""
        return next((line for line in self.lines if isinstance(line, EndLine)), None)

    @property
    def is_healthy(self) -> bool | None:
        """Whether the device does as it ought to after the unit; `None` where nobody could look."""
        looked = [line.ok for line in self.lines if isinstance(line, HealthLine)]
        return looked[-1] if looked else None

    @property
    def memory(self) -> MemoryLine | None:
        """What the device had free."""
        return next((line for line in self.lines if isinstance(line, MemoryLine)), None)

    def read_output(self, span: tuple[int, int]) -> bytes:
        """Return what a launch left."""
        begin, size = span
        return self._outputs[begin : begin + size]


def _lines(report: Path) -> Iterator[ReportLine]:
    if not report.is_file() or report.is_symlink():
        return
    for line in report.read_bytes().splitlines():
        try:
            yield msgspec.json.decode(line, type=ReportLine)
        except msgspec.DecodeError:
            continue
