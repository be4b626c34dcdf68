"""Lease owners: processes identified by host, boot, pid and start time, so that their death can
be seen.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path


def current_process_owner() -> str:
    """Return `host/boot id/pid/start time` of this process."""
    return process_owner(os.getpid())


def process_owner(pid: int) -> str:
    """Return the owner that process `pid` of this host is; its start time is 0 when it is gone."""
    return f"{_host()}/{_boot()}/{pid}/{_started(pid)}"


def worker_process_owner(worker: int) -> str:
    """Return the owner that this process is as one of the processes of the worker `worker`, its
    parent.
    """
    return f"{current_process_owner()}@{worker}/{_started(worker)}"


def belongs_to_worker(owner: str, worker: int) -> bool:
    """Tell whether an owner is one of the processes of the worker `worker` of this host."""
    process, _, parent = owner.partition("@")
    return parent == f"{worker}/{_started(worker)}" and process.startswith(
        f"{_host()}/{_boot()}/"
    )


def is_worker_lost(owner: str) -> bool:
    """Tell of a lost owner whether it was a process of a worker that is gone too, or cannot be
    asked.
    """
    process, _, worker = owner.partition("@")
    if not worker:
        return False
    host, boot, *_ = process.split("/")
    pid, _, started = worker.partition("/")
    return is_dead(f"{host}/{boot}/{pid}/{started}") is not False


def is_dead(owner: str) -> bool | None:
    """Tell whether `owner`, a process of this host, is no more; `None` for other hosts, of
    which nothing is known.
    """
    host, _, rest = owner.partition("@")[0].partition("/")
    parts = rest.split("/")
    if host != _host() or len(parts) != 3 or not parts[1].isdigit():
        return None
    boot, pid, started = parts
    return boot != _boot() or started == "0" or _started(int(pid)) != started


@cache
def _host() -> str:
    # two containers may share a name and a boot, but not their process ids: the namespace tells
    # them apart
    machine = _read(Path("/etc/machine-id"))[:8]
    namespace = Path("/proc/self/ns/pid").readlink().name.strip("pid:[]")
    return f"{platform.node().replace('/', '-')}:{machine}:{namespace}"


@cache
def _boot() -> str:
    return _read(Path("/proc/sys/kernel/random/boot_id"))


def _started(pid: int) -> str:
    """Return the start time of `pid` in clock ticks since boot, as text; `0` when it is gone or
    a zombie.
    """
    status = _read(Path(f"/proc/{pid}/stat"))
    # the name in parentheses may itself hold spaces and parentheses
    fields = status[status.rfind(")") + 2 :].split()
    return "0" if not fields or fields[0] in "ZX" else fields[19]


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
