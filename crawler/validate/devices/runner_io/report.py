"""Typed view of the report that the runner writes of a unit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

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
    """Byte that mere outputs were filled with before."""
    broken: tuple[int, ...] = ()
    """Buffers whose guards were changed."""
    late: bool = False
    """Whether memory changed after the device had reported completion."""
    buffers: tuple[tuple[int, int] | None, ...] = ()
    """Offset and size of the output of each, `None` where it holds what it held before."""


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
    """Time of one launch each, by events."""
    host_milliseconds: tuple[float, ...] = ()
    """Time of the same, by the host's clock."""
    batch: int = 1
    """Launches that were measured together."""
    checked: int = 0
    """Launches whose outputs were compared."""
    runs: tuple[LaunchResult, ...] = ()
    """Their outputs, each distinct one once."""
    unkept: int = 0
    """Launches with yet another output, when there were many already."""
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
    """Whether the device still passes its health check."""

    ok: bool
    message: str = ""


class MemoryLine(msgspec.Struct, tag_field="what", tag="memory", frozen=True):
    """Free bytes of the device before and after."""

    before: int
    after: int


Line = TypeVar("Line")
ReportLine = DeviceLine | CaseLine | TimingLine | EndLine | HealthLine | MemoryLine


class RunnerReport:
    """All that the runner reported of one unit."""

    def __init__(self, folder: Path) -> None:
        """Read a report; lines that are not of a known form are left out."""
        self.lines = tuple(_iter_lines(folder / REPORT_FILE))
        self._outputs = b""
        outputs = folder / OUTPUTS_FILE
        if _is_plain_file(outputs):
            self._outputs = outputs.read_bytes()

    @property
    def device(self) -> DeviceLine | None:
        """The device as it was when the unit came to it."""
        return next(self._iter_lines_of(DeviceLine), None)

    @property
    def cases(self) -> dict[str, CaseLine]:
        """The cases that were reported, by name."""
        lines: dict[str, CaseLine] = {}
        for line in self._iter_lines_of(CaseLine):
            lines[line.name] = line

        return lines

    @property
    def timing(self) -> TimingLine | None:
        """The times that were measured."""
        return next(self._iter_lines_of(TimingLine), None)

    @property
    def end(self) -> EndLine | None:
        """How the unit's process ended; `None` where its supervisor was ended, too."""
        return next(self._iter_lines_of(EndLine), None)

    @property
    def is_healthy(self) -> bool | None:
        """Whether the device passed its last health check; `None` where there was none."""
        checks = [line.ok for line in self._iter_lines_of(HealthLine)]
        return checks[-1] if checks else None

    @property
    def memory(self) -> MemoryLine | None:
        """Free memory of the device."""
        return next(self._iter_lines_of(MemoryLine), None)

    def read_output(self, span: tuple[int, int]) -> bytes:
        """Return the output of a launch, which lies at an offset and has a size."""
        offset, size = span
        end = offset + size

        return self._outputs[offset:end]

    def _iter_lines_of(self, line_type: type[Line]) -> Iterator[Line]:
        for line in self.lines:
            if isinstance(line, line_type):
                yield line


def _iter_lines(file: Path) -> Iterator[ReportLine]:
    if not _is_plain_file(file):
        return

    content = file.read_bytes()
    for line in content.splitlines():
        try:
            report_line = msgspec.json.decode(line, type=ReportLine)
        except msgspec.DecodeError:
            # E.g. a line that was not finished when the process was killed.
            continue

        yield report_line


def _is_plain_file(file: Path) -> bool:
    """Tell whether a file is one: what ran in the sandbox may have put a link there."""
    return file.is_file() and not file.is_symlink()
