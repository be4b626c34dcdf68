"""Lease owners: processes identified by host, boot, pid and start time, so that death shows.

An owner is written `HOST/BOOT/PID/START`, followed by `@PID/START` of its worker for one of the
processes of a worker.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path

_NOT_RUNNING = "0"


def current_process_owner() -> str:
    """Return the owner that this process is."""
    return process_owner(os.getpid())


def process_owner(pid: int) -> str:
    """Return the owner that process `pid` of this host is; its start time is 0 when it is gone."""
    return f"{_host()}/{_boot()}/{pid}/{_start_time(pid)}"


def worker_process_owner(worker: int) -> str:
    """Return the owner that this process is as a child of the worker with the pid `worker`."""
    return f"{current_process_owner()}@{worker}/{_start_time(worker)}"


def belongs_to_worker(owner: str, worker: int) -> bool:
    """Return whether `owner` is a process of the worker with the pid `worker` of this host."""
    process, _, parent = owner.partition("@")
    is_of_this_host = process.startswith(f"{_host()}/{_boot()}/")
    return parent == f"{worker}/{_start_time(worker)}" and is_of_this_host


def is_worker_lost(owner: str) -> bool:
    """Return whether `owner`, which is lost, belonged to a worker that is gone too.

    A worker on another host, which cannot be checked, counts as gone.
    """
    process, _, worker = owner.partition("@")
    if not worker:
        return False

    host, boot, *_ = process.split("/")
    pid, _, start_time = worker.partition("/")

    return is_dead(f"{host}/{boot}/{pid}/{start_time}") is not False


def is_dead(owner: str) -> bool | None:
    """Return whether `owner`, a process of this host, is gone; `None` for other hosts."""
    process = owner.partition("@")[0]
    host, _, identity = process.partition("/")
    parts = identity.split("/")
    if host != _host() or len(parts) != 3 or not parts[1].isdigit():
        return None

    boot, pid, start_time = parts
    if boot != _boot() or start_time == _NOT_RUNNING:
        return True

    return _start_time(int(pid)) != start_time


@cache
def _host() -> str:
    # Two containers may share a name and a boot, but not their process ids: the pid namespace,
    # e.g. `pid:[4026531836]`, distinguishes them.
    machine = _read_stripped(Path("/etc/machine-id"))[:8]
    namespace = Path("/proc/self/ns/pid").readlink().name.strip("pid:[]")
    return f"{platform.node().replace('/', '-')}:{machine}:{namespace}"


@cache
def _boot() -> str:
    return _read_stripped(Path("/proc/sys/kernel/random/boot_id"))


def _start_time(pid: int) -> str:
    """Return the start time of `pid` in clock ticks since boot; `0` when it is gone or a zombie."""
    stat = _read_stripped(Path(f"/proc/{pid}/stat"))
    # the name in parentheses may itself hold spaces and parentheses
    fields = stat[stat.rfind(")") + 2 :].split()
    if not fields or fields[0] in "ZX":
        return _NOT_RUNNING

    # proc(5): `state` is field 3, `starttime` field 22
    return fields[19]


def _read_stripped(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
