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

from crawler.process_limits import Containment, Limits
from crawler.sandbox.bubblewrap import READY_FOLDER, SandboxCommand
from crawler.sandbox.limits import cgroups
from crawler.sandbox.limits.cgroups import Cgroup
from crawler.sandbox.limits.watchdog import ProcessWatchdog, WritableFolders
from crawler.sandbox.mounts import Mount
from crawler.sandbox.results import copy_results

# what bubblewrap writes, which may not be whole yet, or the bare number that crun does
_CHILD_PID: Final = re.compile(rb'(?:^|"child-pid": *)(\d+)')
# `NSpid` has the pid in each namespace, the innermost last
_IS_FIRST_INSIDE: Final = re.compile(r"^NSpid:.*\t1$", re.MULTILINE)
_WAIT_SECONDS: Final = 10.0
_FOLDERS_POLL_INTERVAL: Final = 0.25
_ALWAYS_WRITABLE: Final = ("/tmp", "/dev/shm")  # noqa: S108


@dataclass(slots=True, kw_only=True)
class SandboxContainment:
    """The `Containment` of one run: a control group or a watchdog, and its writable folders."""

    limiter: Containment
    folders: WritableFolders
    command: SandboxCommand
    mounts: tuple[Mount, ...]
    resources: ExitStack
    _init_pid: int = 0
    """First process inside by its pid on the host; 0 before bubblewrap has reported it."""
    _open_folders: list[tuple[Mount, int]] = field(default_factory=list)

    @property
    def poll_interval(self) -> float:
        """Seconds between two checks of the limits."""
        return self.limiter.poll_interval or _FOLDERS_POLL_INTERVAL

    def list_entry_files(self) -> Sequence[Path]:
        """Return the files into which a new process writes `0` to be contained."""
        return self.limiter.list_entry_files()

    def attach(self, pid: int) -> None:
        """Attach to the outermost process, and open the writable folders before the program runs.

        Their contents can then be read after the processes inside are gone.
        """
        self.limiter.attach(pid)
        if self.command.release_descriptor < 0:
            return

        if self._wait_until_mounted(pid):
            for mount in self.mounts:
                if mount.writable:
                    self._open_folder(mount)

        with contextlib.suppress(BrokenPipeError):
            os.write(self.command.release_descriptor, b"1\n")

    def _open_folder(self, mount: Mount) -> None:
        path = self._path_inside(mount.target)
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._open_folders.append((mount, folder))
        user_id = self.command.user_id
        if user_id is not None:
            os.fchown(folder, user_id, user_id)

    def _path_inside(self, target: str) -> str:
        """Return the host's path of a file that processes inside see as `target`."""
        return f"/proc/{self._init_pid}/root{self.command.root_inside}{target}"

    def _wait_until_mounted(self, pid: int) -> bool:
        """Wait for the folders inside; false where the outermost process ended without them."""
        deadline = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < deadline:
            if self._find_init() and Path(self._path_inside(READY_FOLDER)).exists():
                return True
            # WNOWAIT leaves it to its parent to reap it
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return False
            time.sleep(0.0005)

        return False

    def find_exceeded_limit(self) -> str:
        """Return the limit that was exceeded; empty where none was."""
        init_pid = self._find_init()
        exceeded = ""
        folder_bytes = 0
        if init_pid:
            exceeded, folder_bytes = self.folders.check_usage(init_pid)

        return (
            exceeded
            or self.limiter.find_exceeded_limit()
            or self._check_folder_memory(folder_bytes)
        )

    def close(self) -> None:
        """End all processes inside, and copy the results of the run to the host."""
        init_pid = self._find_init()
        with contextlib.suppress(OSError):
            # another process may have its pid by now
            if init_pid and _is_first_inside(init_pid):
                # the kernel ends all processes of a pid namespace with its first
                _kill_and_wait(init_pid)

        limits = self.folders.limits

        while self._open_folders:
            mount, folder = self._open_folders.pop()
            copy_results(folder, mount, limits.file_bytes or limits.scratch_bytes)
            os.close(folder)

        self.limiter.close()
        self.resources.close()

    def _check_folder_memory(self, folder_bytes: int) -> str:
        # a control group counts the pages of folders in memory, a watchdog does not
        if isinstance(self.limiter, Cgroup):
            return ""
        return "memory" if folder_bytes > self.folders.limits.resident_bytes else ""

    def _find_init(self) -> int:
        """Return the first process inside by its pid on the host, 0 before it is known."""
        if not self._init_pid:
            with contextlib.suppress(OSError):
                report = os.read(self.command.info_descriptor, 4096)
                match = _CHILD_PID.search(report)
                self._init_pid = int(match[1]) if match else 0

        return self._init_pid


def create_containment(
    limits: Limits,
    command: SandboxCommand,
    mounts: tuple[Mount, ...],
    resources: ExitStack,
    limiter: Containment | None = None,
) -> SandboxContainment:
    """Return the containment of a command with these limits; it closes `resources` at its end.

    Without a `limiter` it is a control group or a watchdog.
    """
    os.set_blocking(command.info_descriptor, False)
    targets = [mount.target for mount in mounts if mount.writable]
    folders = tuple(
        f"{command.root_inside}{target}" for target in (*_ALWAYS_WRITABLE, *targets)
    )
    return SandboxContainment(
        limiter=limiter
        or cgroups.create_cgroup(limits)
        or ProcessWatchdog(limits=limits),
        folders=WritableFolders(limits=limits, folders=folders),
        command=command,
        mounts=mounts,
        resources=resources,
    )


def _is_first_inside(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    return _IS_FIRST_INSIDE.search(status) is not None


def _kill_and_wait(pid: int) -> None:
    descriptor = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.poll(_WAIT_SECONDS * 1000)
    finally:
        os.close(descriptor)
