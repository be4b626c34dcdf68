"""Limit the processes of a run by polling, where no control group can be made."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.process import Limits

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_OWN_PROCESSES: Final = 3
"""bubblewrap's two, and the shell that may stand before what was asked for."""


@dataclass(slots=True, kw_only=True)
class ProcessWatchdog:
    """Adds up what the descendants of a process have."""

    limits: Limits
    poll_interval: float = 0.05
    _outermost: int = 0

    def open_entry_files(self) -> Sequence[int]:
        """Return nothing: one enters by being born here."""
        return ()

    def attach(self, pid: int) -> None:
        """Take note of whose descendants to add up."""
        self._outermost = pid

    def find_exceeded_limit(self) -> str:
        """Return which bound is broken now."""
        family = [
            self._outermost,
            *iter_descendants(
                self._outermost, limit=self.limits.processes + _OWN_PROCESSES
            ),
        ]
        if len(family) > self.limits.processes + _OWN_PROCESSES:
            return "processes"
        return (
            "memory"
            if measure_resident_bytes(family) > self.limits.resident_bytes
            else ""
        )

    def close(self) -> None:
        """Leave nothing: there was nothing."""


@dataclass(slots=True, kw_only=True)
class WritableFolders:
    """Adds up what lies in the folders that a run may write to; they are memory, and their
    names are, too.
    """

    limits: Limits
    folders: tuple[str, ...]

    def check_usage(self, init_pid: int) -> tuple[str, int]:
        """Return whether there are too many, and the bytes in them; `init_pid` is the first
        process inside.
        """
        names = size = 0
        for folder in self.folders:
            with contextlib.suppress(OSError):
                state = os.statvfs(f"/proc/{init_pid}/root{folder}")
                names += state.f_files - state.f_ffree
                size += (state.f_blocks - state.f_bfree) * state.f_frsize
        return ("inodes" if names > self.limits.inodes else ""), size


def iter_descendants(pid: int, *, limit: int) -> Iterator[int]:
    """Yield the processes below one, some more than `limit` at the most."""
    waiting, seen = [pid], 0
    while waiting and seen <= limit:
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{waiting.pop()}/task").iterdir():
                children = [
                    int(child) for child in (thread / "children").read_text().split()
                ]
                seen += len(children)
                waiting += children
                yield from children


def measure_resident_bytes(pids: Sequence[int]) -> int:
    """Return their memory in bytes; what is shared counts once, as the largest share of any."""
    private = shared = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError):
            _, whole, common, *_ = map(
                int, Path(f"/proc/{pid}/statm").read_text().split()
            )
            private += whole - common
            shared = max(shared, common)
    return (private + shared) * _PAGE
