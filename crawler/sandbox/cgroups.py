"""Limit all processes of a run together by control groups."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from crawler.process import Limits

_NEEDED: Final = ("memory", "pids")
_WISHED: Final = ("cpu",)
_PERIOD: Final = 100_000
_OWN_PROCESSES: Final = 4
"""bubblewrap's two, and room for those that start what was asked for."""
_PREFIX: Final = "kernelset"
_PATIENCE: Final = 3.0
_NUMBERS: Final = itertools.count()


@dataclass(frozen=True, slots=True, kw_only=True)
class CgroupParent:
    """Folders in which groups can be made, by controller."""

    version: int
    folders: Mapping[str, Path]


@dataclass(slots=True, kw_only=True)
class Cgroup:
    """One run's group, in each hierarchy that bounds something."""

    version: int
    folders: Mapping[str, Path]
    poll_interval: float = 0.0
    _gates: list[int] = field(default_factory=list)

    def apply_limits(self, limits: Limits) -> None:
        """Make its folders, and write its bounds into them."""
        for folder in self._tops():
            folder.mkdir()
        for kind, file, value in _settings(limits, self.version):
            _say(self.folders[kind] / file, value)
        for kind, file, value in _wishes(limits, self.version):
            if kind in self.folders:
                with contextlib.suppress(OSError):
                    _say(self.folders[kind] / file, value)

    def open_entry_files(self) -> Sequence[int]:
        """Open what a process writes itself into."""
        # a process that has but one thread may enter as a thread, for which the kernel stops
        # nobody else
        name = "tasks" if self.version == 1 else "cgroup.procs"
        self._gates = [
            os.open(folder / name, os.O_WRONLY | os.O_CLOEXEC)
            for folder in self._tops()
        ]
        return self._gates

    def attach(self, pid: int) -> None:
        """Close the gates: nobody enters any more."""
        del pid
        self._shut()

    def find_exceeded_limit(self) -> str:
        """Return which bound was reached."""
        memory = "memory.events" if self.version == 2 else "memory.oom_control"
        if _count(self.folders["memory"] / memory, "oom_kill"):
            return "memory"
        return (
            "processes" if _count(self.folders["pids"] / "pids.events", "max") else ""
        )

    def close(self) -> None:
        """Kill whoever is inside, and remove the group once they are gone."""
        self._shut()
        for folder in self._tops():
            _remove(folder)

    def _tops(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(self.folders.values()))

    def _shut(self) -> None:
        while self._gates:
            os.close(self._gates.pop())


def create_cgroup(limits: Limits) -> Cgroup | None:
    """Return a new group with these bounds, or `None` where we may make none."""
    place = find_cgroup_parent()
    if place is None:
        return None
    made = _named(place, str(next(_NUMBERS)))
    try:
        made.apply_limits(limits)
    except OSError:
        made.close()
        return None
    return made


def _named(place: CgroupParent, number: str) -> Cgroup:
    name = f"{_PREFIX}-{_us()}-{number}"
    return Cgroup(
        version=place.version,
        folders={kind: folder / name for kind, folder in place.folders.items()},
    )


@cache
def find_cgroup_parent() -> CgroupParent | None:
    """Look for where we may make groups, and remove what dead processes of ours left there."""
    mounted = Path("/proc/self/mountinfo").read_text()
    ours = Path("/proc/self/cgroup").read_text()
    for place in iter_cgroup_parents(mounted, ours):
        _sweep(place)
        if _works(place):
            return place
    return None


def iter_cgroup_parents(mountinfo: str, membership: str) -> Iterator[CgroupParent]:
    """Yield where groups might be made, given the texts of our `mountinfo` and `cgroup`."""
    own = {
        kind: path
        for _, kinds, path in (line.split(":", 2) for line in membership.splitlines())
        for kind in _kinds(kinds)
    }
    hierarchies = dict(_hierarchies(mountinfo))
    kinds = [
        kind for kind in (*_NEEDED, *_WISHED) if kind in hierarchies and kind in own
    ]
    if set(_NEEDED) <= set(kinds):
        yield CgroupParent(
            version=1,
            folders={kind: _inside(*hierarchies[kind], own[kind]) for kind in kinds},
        )
    if "" in hierarchies and "" in own:
        folder = _inside(*hierarchies[""], own[""])
        # a group with processes of its own hands no controllers down, but its neighbours may
        # stand beside it
        for candidate in (folder, folder.parent):
            if candidate.is_relative_to(hierarchies[""][0]):
                yield CgroupParent(
                    version=2, folders=dict.fromkeys((*_NEEDED, *_WISHED), candidate)
                )


def _kinds(kinds: str) -> list[str]:
    return kinds.split(",")


def _hierarchies(mounted: str) -> Iterator[tuple[str, tuple[Path, str]]]:
    for line in mounted.splitlines():
        left, _, right = line.partition(" - ")
        root, where = left.split()[3:5]
        kind, _, options = right.split(" ", 2)
        if kind == "cgroup2":
            yield "", (Path(where), root)
        if kind == "cgroup":
            for controller in set(options.split(",")) & {*_NEEDED, *_WISHED}:
                yield controller, (Path(where), root)


def _inside(where: Path, root: str, path: str) -> Path:
    """Return our own group as a folder: what is mounted may begin somewhere below the
    hierarchy's root.
    """
    below = path.strip("\n").removeprefix(root.rstrip("/")).lstrip("/")
    return where / below if (where / below).is_dir() else where


def _settings(limits: Limits, version: int) -> Iterator[tuple[str, str, str]]:
    yield "pids", "pids.max", str(limits.processes + _OWN_PROCESSES)
    yield (
        "memory",
        "memory.max" if version == 2 else "memory.limit_in_bytes",
        str(limits.resident_bytes),
    )


def _wishes(limits: Limits, version: int) -> Iterator[tuple[str, str, str]]:
    """Yield what a kernel may lack, or was not told to hand down: no swap beside the memory,
    shares of time.
    """
    quota = str(int(limits.cores * _PERIOD)) if limits.cores else ""
    if version == 1:
        yield "memory", "memory.memsw.limit_in_bytes", str(limits.resident_bytes)
        yield "cpu", "cpu.cfs_period_us", str(_PERIOD)
        yield "cpu", "cpu.cfs_quota_us", quota or "-1"
    else:
        yield "memory", "memory.swap.max", "0"
        yield "memory", "memory.oom.group", "1"
        yield "cpu", "cpu.max", f"{quota or 'max'} {_PERIOD}"


def _works(place: CgroupParent) -> bool:
    trial = _named(place, "trial")
    try:
        trial.apply_limits(Limits(processes=16, resident_bytes=64 << 20))
    except OSError:
        return False
    else:
        return True
    finally:
        trial.close()


def _say(file: Path, value: str) -> None:
    # made by the kernel or not there: a folder that is no group would take any file, and bound
    # nothing
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    """Remove a group: the kernel calls it busy until the last of its dead is buried."""
    deadline = time.monotonic() + _PATIENCE
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
        _kill(folder)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _kill(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def _count(file: Path, name: str) -> int:
    with contextlib.suppress(OSError):
        for line in file.read_text().splitlines():
            if line.split()[0] == name:
                return int(line.split()[1])
    return 0


def _sweep(place: CgroupParent) -> None:
    """Remove what was left by processes of ours that were killed."""
    for folder in dict.fromkeys(place.folders.values()):
        for left in folder.glob(f"{_PREFIX}-*-*-*-*"):
            _, space, pid, born, _ = left.name.split("-", 4)
            if space == _space() and _born(pid) != born:
                _remove(left)


def _us() -> str:
    """Name this process so that none before or after it is taken for it."""
    pid = str(os.getpid())
    return f"{_space()}-{pid}-{_born(pid)}"


@cache
def _space() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def _born(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""
