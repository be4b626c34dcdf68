"""Processor time and memory of descendant processes, sampled from /proc."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


class ProcessMeter:
    """Sums up, a look at a time, the processes below this one; those in a sandbox are nobody's
    to wait for.
    """

    def __init__(self) -> None:
        self.seconds: dict[int, float] = {}
        """Of a processor, by process."""
        self.peak_bytes = 0
        """Bytes of the largest process."""

    @property
    def total_seconds(self) -> float:
        """Return the seconds of all processes that were seen."""
        return sum(self.seconds.values())

    def sample_processes(self) -> None:
        """Look at what runs now."""
        parents = {pid: parent for pid, parent in map(_parent, _processes()) if pid}
        for pid in parents:
            if _is_below(pid, parents):
                with contextlib.suppress(OSError, ValueError, IndexError):
                    self._read(pid)

    def _read(self, pid: int) -> None:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        self.seconds[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf(
            "SC_CLK_TCK"
        )
        peak = Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0]
        self.peak_bytes = max(self.peak_bytes, int(peak) << 10)


def _processes() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").glob("[0-9]*"))


def _parent(pid: int) -> tuple[int, int]:
    with contextlib.suppress(OSError):
        return pid, int(
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
        )
    return 0, 0


def _is_below(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents and pid != os.getpid():
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False
