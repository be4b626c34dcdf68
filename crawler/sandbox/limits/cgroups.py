"""Limit all processes of a run together by control groups."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from crawler.process_limits import Limits
from crawler.sandbox.limits.cgroup_hierarchies import CgroupParent, iter_cgroup_parents
from crawler.sandbox.process_identity import read_pid_namespace, read_start_time

_CPU_PERIOD_MICROSECONDS: Final = 100_000
_OWN_PROCESSES: Final = 4
"""bubblewrap's two, and room for those that start the program."""
_PREFIX: Final = "kernelset"
_REMOVAL_SECONDS: Final = 3.0
_NUMBERS: Final = itertools.count()


@dataclass(slots=True, kw_only=True)
class Cgroup:
    """The group of one run, in each hierarchy that has one of its controllers."""

    version: int
    folders: Mapping[str, Path]
    poll_interval: float = 0.0

    def apply_limits(self, limits: Limits) -> None:
        """Make the group's folders and write its limits; raises `OSError`."""
        for folder in self._distinct_folders():
            folder.mkdir()

        for controller, file, value in _required_settings(limits, self.version):
            _write_setting(self.folders[controller] / file, value)

        for controller, file, value in _optional_settings(limits, self.version):
            if controller in self.folders:
                with contextlib.suppress(OSError):
                    _write_setting(self.folders[controller] / file, value)

    def list_entry_files(self) -> Sequence[Path]:
        """Return files; a process that writes `0` into each is in the group."""
        # a process with a single thread may enter as a thread, for which the kernel need not
        # stop all others
        name = "tasks" if self.version == 1 else "cgroup.procs"
        return [folder / name for folder in self._distinct_folders()]

    def attach(self, pid: int) -> None:
        """Do nothing: the process enters by itself."""

    def find_exceeded_limit(self) -> str:
        """Return `memory` or `processes` where that limit was reached, else an empty text."""
        name = "memory.events" if self.version == 2 else "memory.oom_control"
        if _read_counter(self.folders["memory"] / name, "oom_kill"):
            return "memory"
        if _read_counter(self.folders["pids"] / "pids.events", "max"):
            return "processes"

        return ""

    def close(self) -> None:
        """Kill the processes inside, and remove the group once they are gone."""
        for folder in self._distinct_folders():
            _remove_group(folder)

    def _distinct_folders(self) -> tuple[Path, ...]:
        # controllers that share a hierarchy share a folder
        return tuple(dict.fromkeys(self.folders.values()))


def create_cgroup(limits: Limits) -> Cgroup | None:
    """Return a new group with these limits, or `None` where we may make none."""
    parent = find_cgroup_parent()
    if parent is None:
        return None

    cgroup = _name_cgroup(parent, str(next(_NUMBERS)))

    try:
        cgroup.apply_limits(limits)
    except OSError:
        cgroup.close()
        return None

    return cgroup


def _name_cgroup(parent: CgroupParent, number: str) -> Cgroup:
    name = f"{_PREFIX}-{_identify_process()}-{number}"
    folders = {
        controller: folder / name for controller, folder in parent.folders.items()
    }
    return Cgroup(version=parent.version, folders=folders)


@cache
def find_cgroup_parent() -> CgroupParent | None:
    """Return where we may make groups, after removing those of dead processes of ours."""
    mountinfo = Path("/proc/self/mountinfo").read_text()
    membership = Path("/proc/self/cgroup").read_text()

    for parent in iter_cgroup_parents(mountinfo, membership):
        _remove_stale_groups(parent)
        if _works(parent):
            return parent

    return None


def _required_settings(limits: Limits, version: int) -> Iterator[tuple[str, str, str]]:
    """Yield (controller, file, value)."""
    yield "pids", "pids.max", str(limits.processes + _OWN_PROCESSES)
    memory_file = "memory.max" if version == 2 else "memory.limit_in_bytes"
    yield "memory", memory_file, str(limits.resident_bytes)


def _optional_settings(limits: Limits, version: int) -> Iterator[tuple[str, str, str]]:
    """Yield (controller, file, value) of what a kernel may lack: no swap, CPU shares."""
    quota = str(int(limits.cores * _CPU_PERIOD_MICROSECONDS)) if limits.cores else ""
    if version == 1:
        yield "memory", "memory.memsw.limit_in_bytes", str(limits.resident_bytes)
        yield "cpu", "cpu.cfs_period_us", str(_CPU_PERIOD_MICROSECONDS)
        yield "cpu", "cpu.cfs_quota_us", quota or "-1"
    else:
        yield "memory", "memory.swap.max", "0"
        yield "memory", "memory.oom.group", "1"
        yield "cpu", "cpu.max", f"{quota or 'max'} {_CPU_PERIOD_MICROSECONDS}"


def _works(parent: CgroupParent) -> bool:
    trial = _name_cgroup(parent, "trial")
    try:
        trial.apply_limits(Limits(processes=16, resident_bytes=64 << 20))
    except OSError:
        return False
    else:
        return True
    finally:
        trial.close()


def _write_setting(file: Path, value: str) -> None:
    # without O_CREAT: a folder that is no group would take any file, and limit nothing
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)


def _remove_group(folder: Path) -> None:
    """Kill a group's processes and remove it: it is busy until the last of them is reaped."""
    deadline = time.monotonic() + _REMOVAL_SECONDS
    pause = 0.0005

    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                return
        else:
            return

        _kill_members(folder)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _kill_members(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def _read_counter(file: Path, name: str) -> int:
    """Return a counter of a file of `NAME NUMBER` lines, 0 where it is missing."""
    with contextlib.suppress(OSError):
        for line in file.read_text().splitlines():
            fields = line.split()
            if fields[0] == name:
                return int(fields[1])

    return 0


def _remove_stale_groups(parent: CgroupParent) -> None:
    """Remove groups of processes of ours that were killed."""
    for folder in dict.fromkeys(parent.folders.values()):
        for group in folder.glob(f"{_PREFIX}-*-*-*-*"):
            _, namespace, pid, start_time, _ = group.name.split("-", 4)
            # a pid means another process in another namespace
            if namespace == read_pid_namespace() and read_start_time(pid) != start_time:
                _remove_group(group)


def _identify_process() -> str:
    """Return a name of this process that no process before or after it has."""
    pid = str(os.getpid())
    return f"{read_pid_namespace()}-{pid}-{read_start_time(pid)}"
