"""What holds all processes of a run together: bounds on their sum while they run, and none of them left after."""

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
from crawler.sandbox.box import READY, Box
from crawler.sandbox.cgroups import Group
from crawler.sandbox.mounts import Mount
from crawler.sandbox.results import bring
from crawler.sandbox.watch import Files, Watch

_FIRST: Final = re.compile(rb'"child-pid": *(\d+)')
_FIRST_INSIDE: Final = re.compile(r"^NSpid:.*\t1$", re.MULTILINE)
_OBEYED_SECONDS: Final = 10.0
_SELDOM: Final = 0.25


@dataclass(slots=True, kw_only=True)
class Enclosure:
    """The fence of one run: a control group where there is one, else a watch, and the files that it makes."""

    around: Group | Watch
    files: Files
    box: Box
    mounts: tuple[Mount, ...]
    held: ExitStack
    _first: int = 0
    _opened: list[tuple[Mount, int]] = field(default_factory=list)

    @property
    def interval(self) -> float:
        """Return the seconds between two looks."""
        return self.around.interval or _SELDOM

    def gates(self) -> Sequence[int]:
        """Return what a process writes itself into."""
        return self.around.gates()

    def started(self, pid: int) -> None:
        """Take note of the outermost process, and open the folders that can be written to before anything runs."""
        self.around.started(pid)
        if self.box.go < 0:
            return
        if self._is_ready(pid):
            for mount in self.mounts:
                if mount.writable:
                    self._open(mount)
        with contextlib.suppress(BrokenPipeError):
            os.write(self.box.go, b"1")

    def _open(self, mount: Mount) -> None:
        path = f"/proc/{self._first}/root{mount.target}"
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._opened.append((mount, folder))
        if self.box.identity is not None:
            os.fchown(folder, self.box.identity, self.box.identity)

    def _is_ready(self, pid: int) -> bool:
        """Wait until the folders inside are there, or the outermost process has ended without."""
        deadline = time.monotonic() + _OBEYED_SECONDS
        while time.monotonic() < deadline:
            if self._inside() and Path(f"/proc/{self._first}/root{READY}").exists():
                return True
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return False
            time.sleep(0.0005)
        return False

    def exceeded(self) -> str:
        """Return the bound that was broken."""
        first = self._inside()
        many, size = self.files.exceeded(first) if first else ("", 0)
        return many or self.around.exceeded() or self._overfull(size)

    def close(self) -> None:
        """Kill the first process inside, with which the kernel ends all others, and see it gone."""
        first = self._inside()
        with contextlib.suppress(OSError):
            if first and _FIRST_INSIDE.search(Path(f"/proc/{first}/status").read_text()):
                _ended(first)
        while self._opened:
            mount, folder = self._opened.pop()
            bring(folder, mount, self.files.limits.file_bytes or self.files.limits.scratch_bytes)
            os.close(folder)
        self.around.close()
        self.held.close()

    def _overfull(self, size: int) -> str:
        if isinstance(self.around, Group):
            return ""
        return "memory" if size > self.files.limits.resident_bytes else ""

    def _inside(self) -> int:
        """Return the first process inside as it is called here, 0 before it is known."""
        if not self._first:
            with contextlib.suppress(OSError):
                found = _FIRST.search(os.read(self.box.told, 4096))
                self._first = int(found[1]) if found else 0
        return self._first


def enclosure(limits: Limits, box: Box, mounts: tuple[Mount, ...], held: ExitStack) -> Enclosure:
    """Return a new fence round a box, with these bounds; it closes `held` at its end."""
    os.set_blocking(box.told, False)
    folders = ("/tmp", "/dev/shm", *(mount.target for mount in mounts if mount.writable))  # noqa: S108
    return Enclosure(
        around=cgroups.group(limits) or Watch(limits=limits),
        files=Files(limits=limits, folders=folders),
        box=box,
        mounts=mounts,
        held=held,
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
