"""Describe the container of a run, as `config.json` of the Open Container Initiative.

One that says nothing of the host, grants nothing, and is of use to nothing but this run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from crawler.sandbox.bubblewrap import BASE_ENVIRONMENT
from crawler.sandbox.container.root_folder import ContainerMount

VERSION: Final = "1.0.2"
_NAMESPACES: Final = ("pid", "ipc", "uts", "mount", "network", "cgroup")
_CAPABILITY_SETS: Final = (
    "bounding",
    "effective",
    "inheritable",
    "permitted",
    "ambient",
)
_MASKED_PATHS: Final = (
    *("/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kallsyms"),
    *("/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug"),
    *("/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/firmware"),
)
_READ_ONLY_PATHS: Final = (
    *("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"),
)
# the first process of a container takes no signal that it does not ask for: the program is
# its child, and ends with it
_FIRST_PROCESS: Final = 'exec 9>&2 2>/dev/null; (exec "$@" 2>&9 9>&-); exit $?'


def describe_container(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    mounts: Sequence[ContainerMount],
    user_id: int,
    groups: Sequence[int],
) -> dict[str, Any]:
    """Return the specification of a container that runs `argv` as `user_id` and as nobody else.

    How it filters system calls is its runtime's to say.
    """
    variables = {**BASE_ENVIRONMENT, **env}
    return {
        "ociVersion": VERSION,
        "hostname": "sandbox",
        "root": {"path": "root", "readonly": True},
        "process": {
            "terminal": False,
            "user": {
                "uid": user_id,
                "gid": user_id,
                "additionalGids": list(groups),
            },
            "args": list(argv),
            "env": [f"{name}={value}" for name, value in variables.items()],
            "cwd": cwd,
            "capabilities": {name: [] for name in _CAPABILITY_SETS},
            "noNewPrivileges": True,
        },
        "mounts": list(mounts),
        "linux": {
            "namespaces": [{"type": name} for name in _NAMESPACES],
            "maskedPaths": list(_MASKED_PATHS),
            "readonlyPaths": list(_READ_ONLY_PATHS),
        },
    }


def begin_in_shell(argv: Sequence[str], prologue: str = "") -> tuple[str, ...]:
    """Return the command of a container's first process, which runs `argv` after `prologue`."""
    return ("/bin/sh", "-c", prologue + _FIRST_PROCESS, "sh", *argv)


def list_device_groups(devices: Sequence[Path]) -> tuple[int, ...]:
    """Return the groups that may open `devices`, root's left out."""
    return tuple(sorted({device.stat().st_gid for device in devices} - {0}))
