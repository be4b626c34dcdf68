"""Limit the processes of a run by polling, where no control group can be made."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.process_limits import Limits

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_OWN_PROCESSES: Final = 3
"""bubblewrap's two, and the shell that may start the program."""


@dataclass(slots=True, kw_only=True)
class ProcessWatchdog:
    """Adds up the processes and the memory of all descendants of a process."""

    limits: Limits
    poll_interval: float = 0.05
    _outermost: int = 0

    def list_entry_files(self) -> Sequence[Path]:
        """Return none: a descendant is inside by descent."""
        return ()

    def attach(self, pid: int) -> None:
        """Watch the descendants of this process."""
        self._outermost = pid

    def find_exceeded_limit(self) -> str:
        """Return `processes` or `memory` where that limit is exceeded now, else an empty text."""
        max_processes = self.limits.processes + _OWN_PROCESSES
        descendants = iter_descendants(self._outermost, limit=max_processes)
        processes = [self._outermost, *descendants]
        if len(processes) > max_processes:
            return "processes"
        if measure_resident_bytes(processes) > self.limits.resident_bytes:
            return "memory"

        return ""

    def close(self) -> None:
        """Do nothing: a watchdog leaves nothing behind."""


@dataclass(slots=True, kw_only=True)
class WritableFolders:
    """Adds up the files and bytes in the folders that a run may write to, which are in memory."""

    limits: Limits
    folders: tuple[str, ...]

    def check_usage(self, init_pid: int) -> tuple[str, int]:
        """Return `inodes` where there are too many files, else an empty text, and the bytes.

        `init_pid` is the first process inside.
        """
        file_count = 0
        total_bytes = 0

        for folder in self.folders:
            with contextlib.suppress(OSError):
                usage = os.statvfs(f"/proc/{init_pid}/root{folder}")
                file_count += usage.f_files - usage.f_ffree
                total_bytes += (usage.f_blocks - usage.f_bfree) * usage.f_frsize

        exceeded = "inodes" if file_count > self.limits.inodes else ""

        return exceeded, total_bytes


def iter_descendants(pid: int, *, limit: int) -> Iterator[int]:
    """Yield the processes below `pid`, at most a few more than `limit`."""
    waiting = [pid]
    count = 0

    while waiting and count <= limit:
        with contextlib.suppress(OSError):
            # each thread has a list of the children that it started
            for thread in Path(f"/proc/{waiting.pop()}/task").iterdir():
                words = (thread / "children").read_text().split()
                children = [int(child) for child in words]
                count += len(children)
                waiting += children
                yield from children


def measure_resident_bytes(pids: Sequence[int]) -> int:
    """Return the memory of processes in bytes.

    What they share counts once, as the largest share of any.
    """
    private_pages = 0
    shared_pages = 0

    for pid in pids:
        with contextlib.suppress(OSError, ValueError):
            fields = Path(f"/proc/{pid}/statm").read_text().split()
            _, resident, shared, *_ = map(int, fields)
            private_pages += resident - shared
            shared_pages = max(shared_pages, shared)

    return (private_pages + shared_pages) * _PAGE_BYTES
