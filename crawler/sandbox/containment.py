"""Contain all processes of a sandboxed run: limits while it runs, cleanup after."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from crawler.process import Limits
from crawler.sandbox import cgroups
from crawler.sandbox.bubblewrap import READY_FOLDER, SandboxCommand
from crawler.sandbox.cgroups import Cgroup
from crawler.sandbox.mounts import Mount
from crawler.sandbox.results import copy_results
from crawler.sandbox.watchdog import ProcessWatchdog, WritableFolders

_FIRST: Final = re.compile(rb'"child-pid": *(\d+)')
_FIRST_INSIDE: Final = re.compile(r"^NSpid:.*\t1$", re.MULTILINE)
_OBEYED_SECONDS: Final = 10.0
_SELDOM: Final = 0.25


@dataclass(slots=True, kw_only=True)
class SandboxContainment:
    """The fence of one run: a control group where there is one, else a watch, and the files
    that it makes.
    """

    limiter: Cgroup | ProcessWatchdog
    folders: WritableFolders
    command: SandboxCommand
    mounts: tuple[Mount, ...]
    resources: ExitStack
    _first: int = 0
    _opened: list[tuple[Mount, int]] = field(default_factory=list)

    @property
    def poll_interval(self) -> float:
        """Return the seconds between two looks."""
        return self.limiter.poll_interval or _SELDOM

    def open_entry_files(self) -> Sequence[int]:
        """Return what a process writes itself into."""
        return self.limiter.open_entry_files()

    def attach(self, pid: int) -> None:
        """Take note of the outermost process, and open the folders that can be written to
        before anything runs.
        """
        self.limiter.attach(pid)
        if self.command.release_descriptor < 0:
            return
        if self._is_ready(pid):
            for mount in self.mounts:
                if mount.writable:
                    self._open(mount)
        with contextlib.suppress(BrokenPipeError):
            os.write(self.command.release_descriptor, b"1")

    def _open(self, mount: Mount) -> None:
        path = f"/proc/{self._first}/root{mount.target}"
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._opened.append((mount, folder))
        if self.command.user_id is not None:
            os.fchown(folder, self.command.user_id, self.command.user_id)

    def _is_ready(self, pid: int) -> bool:
        """Wait until the folders inside are there, or the outermost process has ended without."""
        deadline = time.monotonic() + _OBEYED_SECONDS
        while time.monotonic() < deadline:
            if (
                self._inside()
                and Path(f"/proc/{self._first}/root{READY_FOLDER}").exists()
            ):
                return True
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return False
            time.sleep(0.0005)
        return False

    def find_exceeded_limit(self) -> str:
        """Return the bound that was broken."""
        first = self._inside()
        many, size = self.folders.check_usage(first) if first else ("", 0)
        return many or self.limiter.find_exceeded_limit() or self._overfull(size)

    def close(self) -> None:
        """Kill the first process inside, with which the kernel ends all others, and see it gone."""
        first = self._inside()
        with contextlib.suppress(OSError):
            if first and _FIRST_INSIDE.search(
                Path(f"/proc/{first}/status").read_text()
            ):
                _ended(first)
        while self._opened:
            mount, folder = self._opened.pop()
            copy_results(
                folder,
                mount,
                self.folders.limits.file_bytes or self.folders.limits.scratch_bytes,
            )
            os.close(folder)
        self.limiter.close()
        self.resources.close()

    def _overfull(self, size: int) -> str:
        if isinstance(self.limiter, Cgroup):
            return ""
        return "memory" if size > self.folders.limits.resident_bytes else ""

    def _inside(self) -> int:
        """Return the first process inside as it is called here, 0 before it is known."""
        if not self._first:
            with contextlib.suppress(OSError):
                found = _FIRST.search(os.read(self.command.info_descriptor, 4096))
                self._first = int(found[1]) if found else 0
        return self._first


def create_containment(
    limits: Limits,
    command: SandboxCommand,
    mounts: tuple[Mount, ...],
    resources: ExitStack,
) -> SandboxContainment:
    """Return a new fence round a box, with these bounds; it closes `resources` at its end."""
    os.set_blocking(command.info_descriptor, False)
    folders = (
        "/tmp",  # noqa: S108
        "/dev/shm",  # noqa: S108
        *(mount.target for mount in mounts if mount.writable),
    )
    return SandboxContainment(
        limiter=cgroups.create_cgroup(limits) or ProcessWatchdog(limits=limits),
        folders=WritableFolders(limits=limits, folders=folders),
        command=command,
        mounts=mounts,
        resources=resources,
    )


def _ended(pid: int) -> None:
    descriptor = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        waiting.poll(_OBEYED_SECONDS * 1000)
    finally:
        os.close(descriptor)
