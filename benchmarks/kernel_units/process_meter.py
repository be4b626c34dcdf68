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
        parents: dict[int, int] = {}
        for pid in _iter_processes():
            # one that ended since it was listed is gone
            with contextlib.suppress(OSError):
                parents[pid] = _read_parent(pid)

        for pid in parents:
            if _is_below(pid, parents):
                with contextlib.suppress(OSError, ValueError, IndexError):
                    self._note_usage(pid)

    def _note_usage(self, pid: int) -> None:
        fields = _read_stat(pid)
        user_ticks = int(fields[11])
        system_ticks = int(fields[12])
        ticks = user_ticks + system_ticks
        self.seconds[pid] = ticks / os.sysconf("SC_CLK_TCK")

        # the kernel keeps the largest size there ever was: no look can miss it
        status = Path(f"/proc/{pid}/status").read_text()
        _, _, peak = status.partition("VmHWM:")
        kilobytes = int(peak.split()[0])
        self.peak_bytes = max(self.peak_bytes, kilobytes << 10)


def _iter_processes() -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*"):
        yield int(path.name)


def _read_stat(pid: int) -> list[str]:
    """Return the fields behind the program's name, which may hold spaces and brackets."""
    text = Path(f"/proc/{pid}/stat").read_text()
    _, _, fields = text.rpartition(")")
    return fields.split()


def _read_parent(pid: int) -> int:
    fields = _read_stat(pid)
    return int(fields[1])


def _is_below(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents and pid != os.getpid():
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False
