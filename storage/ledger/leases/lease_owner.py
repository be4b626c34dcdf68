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


def describe_owner(owner: str) -> str:
    """Return what tells an owner from others for a reader: its host, and its pid there."""
    host, _, identity = owner.partition("/")
    _boot_id, _, process = identity.partition("/")
    pid = process.partition("/")[0]
    # behind it stand what tells containers of one name apart
    name = host.partition(":")[0]

    return f"{name} pid {pid}" if pid else name


def belongs_to_worker(owner: str, worker: int) -> bool:
    """Return whether `owner` is a process of the worker with the pid `worker` of this host."""
    process, _, parent = owner.partition("@")
    this_host = f"{_host()}/{_boot()}/"
    worker_identity = f"{worker}/{_start_time(worker)}"
    if not process.startswith(this_host):
        return False

    return parent == worker_identity


def is_worker_lost(owner: str) -> bool:
    """Return whether `owner`, which is lost, belonged to a worker that is gone too.

    A worker on another host, which cannot be checked, counts as gone.
    """
    process, _, worker = owner.partition("@")
    if not worker:
        return False

    host, boot, *_ = process.split("/")
    pid, _, start_time = worker.partition("/")
    worker_owner = f"{host}/{boot}/{pid}/{start_time}"

    return is_dead(worker_owner) is not False


def is_dead(owner: str) -> bool | None:
    """Return whether `owner`, a process of this host, is gone; `None` for other hosts."""
    process = owner.partition("@")[0]
    host, _, identity = process.partition("/")
    if host != _host():
        return None

    parts = identity.split("/")
    if len(parts) != 3 or not parts[1].isdigit():
        return None

    boot, pid, start_time = parts
    if boot != _boot() or start_time == _NOT_RUNNING:
        return True

    current_start_time = _start_time(int(pid))
    return current_start_time != start_time


@cache
def _host() -> str:
    # Two containers may share a name and a boot, but not their process ids: the pid namespace,
    # e.g. `pid:[4026531836]`, distinguishes them.
    namespace_link = Path("/proc/self/ns/pid").readlink()
    namespace = namespace_link.name.strip("pid:[]")
    machine = _read_stripped(Path("/etc/machine-id"))
    # a slash would end the host's name
    name = platform.node().replace("/", "-")

    return f"{name}:{machine[:8]}:{namespace}"


@cache
def _boot() -> str:
    return _read_stripped(Path("/proc/sys/kernel/random/boot_id"))


def _start_time(pid: int) -> str:
    """Return the start time of `pid` in clock ticks since boot; `0` when it is gone or a zombie."""
    stat = _read_stripped(Path(f"/proc/{pid}/stat"))
    # the name in parentheses may itself hold spaces and parentheses
    name_end = stat.rfind(")")
    fields = stat[name_end + 2 :].split()
    if not fields:
        return _NOT_RUNNING

    state = fields[0]
    if state in "ZX":
        return _NOT_RUNNING

    # proc(5): `state` is field 3, `starttime` field 22
    return fields[19]


def _read_stripped(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
