"""Limits on a process: those that the kernel enforces on each one, and those on all of a run."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

_PR_SET_PDEATHSIG: Final = 1
_OOM_SCORE: Final = b"500"
_SETUP_FAILED: Final = 127
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on one process and its children; zero means no bound."""

    seconds: float = 60.0
    memory_bytes: int = 0
    """RLIMIT_AS of each process."""
    file_bytes: int = 1 << 30
    open_files: int = 1024
    cpu_seconds: int = 0
    processes: int = 0
    """RLIMIT_NPROC, which counts all processes of the same user."""
    resident_bytes: int = 0
    """Memory of all its processes together, with what they keep in `/tmp`. This and the next
    three bounds are enforced by a `Containment` only.
    """
    scratch_bytes: int = 0
    """Bytes in each folder that it may write to."""
    inodes: int = 0
    """Files and folders that it may make."""
    cores: float = 0


class Containment(Protocol):
    """Bounds on all processes of a run together, which limits on each could not enforce."""

    @property
    def poll_interval(self) -> float:
        """Seconds between two checks of the limits; zero where one at the end is enough."""
        ...

    def list_entry_files(self) -> Sequence[Path]:
        """Return the files into each of which a new process writes `0` to be contained."""
        ...

    def attach(self, pid: int) -> None:
        """Attach to the outermost process, which has just started."""
        ...

    def find_exceeded_limit(self) -> str:
        """Return the bound that was exceeded, as one word; empty where none was."""
        ...

    def close(self) -> None:
        """End every process inside and clean up, after the outermost process was killed."""
        ...


def make_child_setup(
    limits: Limits, entry_files: Sequence[Path], *, is_untrusted: bool
) -> Callable[[], None]:
    """Return the function that a new process calls between fork and exec.

    An `is_untrusted` process is the first to be killed where the whole machine lacks memory.
    """
    parent = os.getpid()
    bounds = (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_NPROC, limits.processes),
    )

    def set_up_child() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # a parent that died before the call above sends no signal any more
        if os.getppid() != parent:
            os._exit(_SETUP_FAILED)

        for entry_file in entry_files:
            entry_file.write_bytes(b"0")

        if is_untrusted:
            _raise_oom_score()

        # a core file would fill the disk
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        for kind, bound in bounds:
            if bound:
                _set_limit(kind, bound)

    return set_up_child


def _set_limit(kind: int, bound: int) -> None:
    hard_limit = resource.getrlimit(kind)[1]
    if hard_limit != resource.RLIM_INFINITY:
        bound = min(bound, hard_limit)
    resource.setrlimit(kind, (bound, bound))


def _raise_oom_score() -> None:
    with (
        contextlib.suppress(OSError),
        open("/proc/self/oom_score_adj", "wb", 0) as score,  # noqa: PTH123
    ):
        score.write(_OOM_SCORE)
