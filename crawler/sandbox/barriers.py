"""Check every barrier that the sandbox relies on."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from crawler.process import CompletedProcess, Limits
from crawler.sandbox import cgroups, seccomp, user

_LIMITS: Final = Limits(
    seconds=10,
    processes=8,
    resident_bytes=512 << 20,
    scratch_bytes=1 << 20,
    inodes=4096,
    file_bytes=16 << 20,
    cores=1,
)
_MARK: Final = "broken: "
_BARRIERS: Final = (
    (
        "the host's folders are seen",
        "test ! -e /root -a ! -e /home -a ! -e /etc/passwd",
    ),
    ("it runs as root", 'test "$(id -u)" != 0'),
    ("it has capabilities", "! grep -q '^Cap[IPEB]....*[1-9a-f]' /proc/self/status"),
    ("it may gain privileges", "grep -q '^NoNewPrivs:.1' /proc/self/status"),
    ("there is no filter of system calls", "grep -q '^Seccomp:.2' /proc/self/status"),
    ("namespaces can be made", "! unshare --ipc true"),
    ("processes of the host are seen", 'test "$(ls -d /proc/[0-9]* | wc -l)" -lt 12'),
    ("there is a network", 'test -z "$(sed 1,2d /proc/net/dev | grep -v " *lo:")"'),
    ("the root can be written to", "! touch /new"),
    ("the system can be written to", "! touch /usr/new"),
    ("there is nowhere to write", "echo a > /tmp/new"),
    ("the room for files has no end", "! head -c 2000000 /dev/zero > /tmp/large"),
    (
        "processes are not counted",
        "! (for each in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1 & done; true)",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """Whether the sandbox works on this machine, and why not."""

    works: bool
    reason: str = ""
    limits: str = ""
    """What bounds all processes of a run together: `cgroup v1`, `cgroup v2` or `watchdog`."""


def check_barriers(
    run_inside: Callable[[tuple[str, ...], Limits], CompletedProcess],
) -> SelfTest:
    """Look whether the sandbox holds, by what a program that `run_inside` starts in it can do."""
    if shutil.which("bwrap") is None:
        return SelfTest(
            works=False, reason="bubblewrap is not installed: run `deploy/bootstrap`"
        )
    if not seccomp.build_filter():
        return SelfTest(
            works=False,
            reason=f"no filter of system calls is known for {platform.machine()}",
        )
    if user.explain_root_identity():
        return SelfTest(works=False, reason=user.explain_root_identity())
    steps = [
        f"({barrier}) > /dev/null 2>&1 || {{ echo {_MARK}{broken!r}; exit 1; }}"
        for broken, barrier in _BARRIERS
    ]
    ended = run_inside(("/bin/sh", "-c", "\n".join(steps)), _LIMITS)
    # the last barrier is there, too, when the program ran into it and was ended
    if ended.exit_code and (ended.exceeded_limit != "processes" or _MARK in ended.text):
        return SelfTest(
            works=False, reason=f"bubblewrap cannot isolate here: {_said(ended)}"
        )
    place = cgroups.find_cgroup_parent()
    return SelfTest(
        works=True, limits=f"cgroup v{place.version}" if place else "watchdog"
    )


def _said(ended: CompletedProcess) -> str:
    lines = ended.text.strip().removeprefix(_MARK).splitlines()
    return lines[-1] if lines else f"exit code {ended.exit_code}"
