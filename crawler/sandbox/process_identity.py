"""Tell processes of this machine apart, also those that had the same number."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def read_pid_namespace() -> str:
    """Return the number of the namespace in which this process sees others."""
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def read_start_time(pid: str) -> str:
    """Return the start time of a process in clock ticks since boot; empty when it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""

    # the name in parentheses may hold spaces; after it, `starttime` is the 20th field
    return stat.rpartition(")")[2].split()[19]
