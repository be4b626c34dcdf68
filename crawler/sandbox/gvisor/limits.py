"""Bound a run whose processes and memory are those of gVisor's kernel, a process of the host."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crawler.process_limits import Limits
from crawler.sandbox.limits import cgroups
from crawler.sandbox.limits.cgroups import Cgroup
from crawler.sandbox.limits.watchdog import iter_descendants

OWN_BYTES: Final = 96 << 20
"""Memory of gVisor's own processes, which a run's bound leaves them."""
# its threads, and some of the host's for each process inside
_OWN_THREADS: Final = 256
_THREADS_PER_PROCESS: Final = 4
_THREADS_PER_MOUNT: Final = 2
# what belongs to all processes inside is a file in memory, which the kernel keeps open
_MEMORY_FILE: Final = "/memfd:runsc-memory"
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_BLOCK_BYTES: Final = 512


def describe_inner_limits(limits: Limits) -> list[dict[str, Any]]:
    """Return the limits on each process inside, as `config.json` of a container has them."""
    bounds = {
        "RLIMIT_AS": limits.memory_bytes,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_NPROC": limits.processes,
    }
    described = [
        {"type": name, "soft": bound, "hard": bound}
        for name, bound in bounds.items()
        if bound
    ]
    return [*described, {"type": "RLIMIT_CORE", "soft": 0, "hard": 0}]


def begin_with_processor_time(limits: Limits, argv: Sequence[str]) -> tuple[str, ...]:
    """Return the command, whose first word bounds its time: gVisor enforces what a process asks
    for, and not what a container's specification says.
    """
    if not limits.cpu_seconds:
        return tuple(argv)
    return ("prlimit", f"--cpu={limits.cpu_seconds}", "--", *argv)


def choose_outer_limits(limits: Limits) -> Limits:
    """Return the limits on gVisor's own processes: its memory is one file, and a space of
    addresses far larger than what it uses.
    """
    return replace(
        limits, memory_bytes=0, file_bytes=0, open_files=0, cpu_seconds=0, processes=0
    )


def create_limiter(limits: Limits, mount_count: int) -> OutputWatch:
    """Return a control group for the run, or a watchdog where none can be made, with a watch on
    what it prints.

    Processes inside are counted by gVisor, and threads of gVisor's own by this: a thread serves
    each of its mounts.
    """
    own_threads = _OWN_THREADS + _THREADS_PER_MOUNT * mount_count
    outer_limits = replace(
        limits,
        processes=own_threads + _THREADS_PER_PROCESS * limits.processes,
        resident_bytes=limits.resident_bytes + OWN_BYTES,
    )
    limiter = cgroups.create_cgroup(outer_limits) or SentryWatchdog(limits=outer_limits)
    return OutputWatch(limiter=limiter, max_bytes=limits.file_bytes)


@dataclass(slots=True, kw_only=True)
class OutputWatch:
    """Bounds the files that a run prints to, with what `limiter` bounds.

    gVisor holds no process to the size of a file that is the host's, and is held to none itself.
    """

    limiter: Cgroup | SentryWatchdog
    max_bytes: int
    poll_interval: float = 0.05
    _outermost: int = 0

    def list_entry_files(self) -> Sequence[Path]:
        """Return the files into which a new process writes `0` to be contained."""
        return self.limiter.list_entry_files()

    def attach(self, pid: int) -> None:
        """Watch what this process and its descendants print."""
        self._outermost = pid
        self.limiter.attach(pid)

    def find_exceeded_limit(self) -> str:
        """Return the limit that was exceeded; empty where none was."""
        if self.max_bytes and self._measure_output() > self.max_bytes:
            return "output"
        return self.limiter.find_exceeded_limit()

    def close(self) -> None:
        """End what the limiter holds."""
        self.limiter.close()

    def _measure_output(self) -> int:
        sizes = [0]
        for descriptor in (1, 2):
            with contextlib.suppress(OSError):
                # a pipe has no size
                printed = Path(f"/proc/{self._outermost}/fd/{descriptor}")
                sizes.append(printed.stat().st_size)

        return max(sizes)


@dataclass(slots=True, kw_only=True)
class SentryWatchdog:
    """Adds up the memory of gVisor's processes and of the file that all of them map.

    Processes inside are counted by gVisor.
    """

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
        """Return `memory` where that limit is exceeded now, else an empty text."""
        descendants = iter_descendants(self._outermost, limit=self.limits.processes)
        used = _measure_memory([self._outermost, *descendants])
        return "memory" if used > self.limits.resident_bytes else ""

    def close(self) -> None:
        """Do nothing: a watchdog leaves nothing behind."""


def _measure_memory(pids: Iterable[int]) -> int:
    private_bytes = 0
    file_bytes = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError):
            fields = Path(f"/proc/{pid}/statm").read_text().split()
            _, resident, shared, *_ = map(int, fields)
            private_bytes += (resident - shared) * _PAGE_BYTES
            file_bytes = max(file_bytes, _measure_memory_file(pid))

    return private_bytes + file_bytes


def _measure_memory_file(pid: int) -> int:
    """Return the size of the file in memory that a process has open, 0 where it has none."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        if str(link.readlink()).startswith(_MEMORY_FILE):
            return link.stat().st_blocks * _BLOCK_BYTES

    return 0
