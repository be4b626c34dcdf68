"""Check every barrier that the sandbox relies on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox.limits import cgroups

Barrier = tuple[str, str]
"""What is wrong, and a shell command that succeeds inside where it is not."""
_LIMITS: Final = Limits(
    # a second of work, which a machine with far more to do than cores may take long for
    seconds=60,
    processes=8,
    resident_bytes=512 << 20,
    scratch_bytes=1 << 20,
    inodes=4096,
    file_bytes=16 << 20,
    cores=1,
)
_BROKEN_PREFIX: Final = "broken: "
_MANY_PROCESSES: Final = (
    "processes are not counted",
    "! (for each in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1 & done; wait)",
)
_GAINS: Final = "it may gain privileges"
IN_NAMESPACES: Final[tuple[Barrier, ...]] = (
    (
        "the host's folders are seen",
        "test ! -e /root -a ! -e /home -a ! -e /etc/passwd",
    ),
    ("it runs as root", 'test "$(id -u)" != 0'),
    ("it has capabilities", "! grep -q '^Cap[IPEB]....*[1-9a-f]' /proc/self/status"),
    (_GAINS, "grep -q '^NoNewPrivs:.1' /proc/self/status"),
    ("there is no filter of system calls", "grep -q '^Seccomp:.2' /proc/self/status"),
    ("namespaces can be made", "! unshare --ipc true"),
    ("processes of the host are seen", "set -- /proc/[0-9]*; test $# -lt 12"),
    ("there is a network", 'test -z "$(sed 1,2d /proc/net/dev | grep -v " *lo:")"'),
    ("the root can be written to", "! touch /new"),
    ("the system can be written to", "! touch /usr/new"),
    ("there is nowhere to write", "echo a > /tmp/new"),
    ("the room for files has no end", "! head -c 2000000 /dev/zero > /tmp/large"),
    _MANY_PROCESSES,
)
"""What a run in namespaces of its own must be kept from."""
# the kernel that gVisor is has no such line in that file, and answers the call that asks for it
_ASKED: Final = {_GAINS: "setpriv --dump | grep -q '^no_new_privs: 1'"}
IN_GVISOR: Final[tuple[Barrier, ...]] = tuple(
    (problem, _ASKED.get(problem, command)) for problem, command in IN_NAMESPACES
)
"""What a run on a kernel of its own must be kept from: the same."""
# a subshell is another process: of /proc it sees the folder of the first one alone
_STATUS: Final = "/proc/$$/status"
ON_THE_HOST: Final[tuple[Barrier, ...]] = (
    ("the host's folders are seen", "! ls / && ! ls /root && ! ls /home && ! ls /tmp"),
    ("the host's files are read", "! cat /etc/passwd && ! cat /etc/hostname"),
    ("it runs as root", 'test "$(id -u)" != 0'),
    ("it has capabilities", f"! grep -q '^Cap[IPE]....*[1-9a-f]' {_STATUS}"),
    (_GAINS, f"grep -q '^NoNewPrivs:.1' {_STATUS}"),
    ("there is no filter of system calls", f"grep -q '^Seccomp:.2' {_STATUS}"),
    ("namespaces can be made", "! unshare --ipc true"),
    ("processes of the host are seen", "! ls /proc && ! cat /proc/1/status"),
    ("processes of the host are signalled", "! kill -0 $PPID && ! kill -0 1"),
    ("the root can be written to", "! touch /new"),
    ("the system can be written to", "! touch /usr/new"),
    (
        "folders of the host can be written to",
        "! touch /tmp/new && ! touch /dev/shm/new",
    ),
    ("there is nowhere to write", 'echo a > "$TMPDIR/new"'),
    _MANY_PROCESSES,
)
"""What a run on the host itself must be kept from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """Whether the sandbox works on this machine, and why not."""

    works: bool
    reason: str = ""
    limits: str = ""
    """What bounds all processes of a run together: `cgroup v1`, `cgroup v2` or `watchdog`."""


def check_barriers(
    name: str,
    barriers: Sequence[Barrier],
    run_inside: Callable[[tuple[str, ...], Limits], CompletedProcess],
) -> SelfTest:
    """Check whether the sandbox of this name holds, by a program that `run_inside` starts in it."""
    script = "\n".join(_barrier_check(*barrier) for barrier in barriers)
    completed = run_inside(("/bin/sh", "-c", script), _LIMITS)
    if completed.exit_code and not _was_stopped_by_last_barrier(completed):
        reason = f"{name} cannot isolate here: {_last_line(completed)}"
        return SelfTest(works=False, reason=reason)

    parent = cgroups.find_cgroup_parent()
    limits = f"cgroup v{parent.version}" if parent else "watchdog"

    return SelfTest(works=True, limits=limits)


def _barrier_check(broken: str, command: str) -> str:
    """Return the shell command that ends the script with a message where a barrier is broken."""
    return f"({command}) > /dev/null 2>&1 || {{ echo {_BROKEN_PREFIX}{broken!r}; exit 1; }}"


def _was_stopped_by_last_barrier(completed: CompletedProcess) -> bool:
    """Return whether the program was ended for its many processes: that barrier holds, too."""
    exceeded_processes = completed.exceeded_limit == "processes"
    return exceeded_processes and _BROKEN_PREFIX not in completed.text


def _last_line(completed: CompletedProcess) -> str:
    if completed.timed_out:
        return f"a test of it did not end within {_LIMITS.seconds} s"

    lines = completed.text.strip().removeprefix(_BROKEN_PREFIX).splitlines()
    return lines[-1] if lines else f"exit code {completed.exit_code}"
