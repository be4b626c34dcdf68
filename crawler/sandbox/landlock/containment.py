"""Contain a run under Landlock: limits while it runs, and its end."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.process_limits import Limits
from crawler.sandbox.landlock.own_folders import DiskWatch, OwnFolder
from crawler.sandbox.limits.cgroups import Cgroup
from crawler.sandbox.limits.watchdog import ProcessWatchdog, iter_descendants

_WAIT_SECONDS: Final = 10.0
_DISK_POLL_INTERVAL: Final = 0.25


@dataclass(slots=True, kw_only=True)
class LandlockContainment:
    """The `Containment` of one run on the host itself."""

    limiter: Cgroup | ProcessWatchdog
    disk: DiskWatch
    limits: Limits
    folders: Sequence[OwnFolder]
    life: int
    """Pipe: the keeper ends the run when it is written to, or nobody has it open any more."""
    done: tuple[int, int]
    """Pipe that the keeper has open as long as anything of the run is there."""
    resources: ExitStack
    _starter: int = 0

    @property
    def poll_interval(self) -> float:
        """Seconds between two checks of the limits."""
        return self.limiter.poll_interval or _DISK_POLL_INTERVAL

    def list_entry_files(self) -> Sequence[Path]:
        """Return the files into which a new process writes `0` to be contained."""
        return self.limiter.list_entry_files()

    def attach(self, pid: int) -> None:
        """Attach to the outermost process."""
        self._starter = pid
        self.limiter.attach(pid)

    def find_exceeded_limit(self) -> str:
        """Return the limit that was exceeded; empty where none was."""
        processes = iter_descendants(self._starter, limit=self.limits.processes)
        return self.limiter.find_exceeded_limit() or self.disk.find_exceeded_limit(
            processes
        )

    def close(self) -> None:
        """End all processes of the run, and copy its results to where they belong."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.life, b"1")
        self._wait_for_end()
        self.limiter.close()
        for folder in self.folders:
            folder.close(self.limits.file_bytes or self.limits.scratch_bytes)
        self.resources.close()

    def _wait_for_end(self) -> None:
        read_end, write_end = self.done
        # the keeper's copy of it is left then, if it has come to be
        os.close(write_end)
        poll = select.poll()
        poll.register(read_end, select.POLLIN)
        poll.poll(_WAIT_SECONDS * 1000)
        os.close(read_end)
