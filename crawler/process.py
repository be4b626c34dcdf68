"""Start subprocesses with resource limits, a timeout and process-group cleanup.

Nothing else may start a process.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from crawler.errors import MissingTool
from crawler.process_launcher import build_launch_command, find_launcher
from crawler.process_limits import Containment, Limits, make_child_setup

__all__ = (
    "CompletedProcess",
    "ContainedProcess",
    "Containment",
    "Limits",
    "kill_group",
    "run",
    "start",
    "terminate",
)

Stream = int | IO[bytes]
_MAX_OUTPUT_BYTES: Final = 64 << 10
_KILL_SECONDS: Final = 2.0
"""How long a killed process may take to end."""
_MIN_WAIT_SECONDS: Final = 0.001
"""Zero would wait without end."""


class ContainedProcess(subprocess.Popen[bytes]):
    """A started process, with its containment."""

    containment: Containment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletedProcess:
    """How a process ended; `output` and `errors` hold its last bytes, as many as were asked for."""

    argv: tuple[str, ...]
    exit_code: int
    """Negative for a signal."""
    output: bytes
    errors: bytes
    timed_out: bool
    exceeded_limit: str = ""
    """Limit of its containment that it exceeded: `memory`, `processes`, `scratch`, `inodes` or
    `output`."""

    @property
    def text(self) -> str:
        """Standard output and error together, as text."""
        return (self.output + self.errors).decode("utf-8", "replace")


def run(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    limits: Limits | None = None,
    keep: int = _MAX_OUTPUT_BYTES,
    pass_fds: Sequence[int] = (),
    containment: Containment | None = None,
) -> CompletedProcess:
    """Run `argv` to its end and return how it ended, whatever the exit code.

    `env` is the whole environment (default: our own); `keep` bounds the bytes kept of each
    stream. Raises `MissingTool` where the program is not there.
    """
    limits = limits or Limits()
    # files, not pipes: a program that nobody reads from would block
    with (
        tempfile.TemporaryFile() as source,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        source.write(stdin)
        source.seek(0)
        child = start(
            argv,
            cwd=cwd,
            env=env,
            stdin=source,
            stdout=out,
            stderr=err,
            limits=limits,
            pass_fds=pass_fds,
            containment=containment,
        )

        try:
            timed_out, exceeded_limit = _wait(child, limits.seconds)
        finally:
            kill_group(child)

        return CompletedProcess(
            argv=tuple(argv),
            exit_code=child.returncode,
            output=_read_end(out.fileno(), keep),
            errors=_read_end(err.fileno(), keep),
            timed_out=timed_out,
            exceeded_limit=exceeded_limit,
        )


def start(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.PIPE,
    stderr: Stream = subprocess.DEVNULL,
    limits: Limits | None = None,
    pass_fds: Sequence[int] = (),
    containment: Containment | None = None,
) -> subprocess.Popen[bytes]:
    """Start `argv` as the leader of a new session that dies with us.

    The caller ends it by `kill_group`. Raises `MissingTool` where the program is not there.
    """
    try:
        command, set_up_child = _prepare_child(argv, limits or Limits(), containment)
        child = ContainedProcess(
            command,
            cwd=cwd,
            env=dict(env) if env is not None else None,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=set_up_child,
            pass_fds=tuple(pass_fds),
        )
    except BaseException as error:
        if containment:
            containment.close()
        if isinstance(error, FileNotFoundError | PermissionError):
            raise MissingTool(
                f"{argv[0]} cannot be started ({error.strerror}):"
                " run `kernelset doctor`"
            ) from error
        raise

    child.containment = containment
    if containment:
        try:
            containment.attach(child.pid)
        except BaseException:
            kill_group(child)
            raise

    return child


def _prepare_child(
    argv: Sequence[str], limits: Limits, containment: Containment | None
) -> tuple[list[str], Callable[[], None] | None]:
    """Return the command to start, and what sets limits between fork and exec: nothing where
    the command does so itself.
    """
    if containment is None:
        return list(argv), make_child_setup(limits, (), is_untrusted=False)

    entry_files = containment.list_entry_files()
    # untrusted programs are small, and there are thousands: a fork would cost more than they do
    launcher = find_launcher()
    if not launcher:
        return list(argv), make_child_setup(limits, entry_files, is_untrusted=True)

    # else the shell alone would know
    if shutil.which(argv[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0])

    return list(build_launch_command(launcher, argv, limits, entry_files)), None


def _wait(child: subprocess.Popen[bytes], seconds: float) -> tuple[bool, str]:
    """Wait for the end of a child; return whether it timed out, and the limit that it exceeded."""
    containment = child.containment if isinstance(child, ContainedProcess) else None
    if containment is None:
        return not _wait_for_end(child, seconds), ""

    deadline = time.monotonic() + seconds if seconds else float("inf")

    while True:
        remaining = deadline - time.monotonic()
        step = min(remaining, containment.poll_interval or remaining)
        timeout = max(step, _MIN_WAIT_SECONDS)
        if timeout == float("inf"):
            timeout = 0

        has_ended = _wait_for_end(child, timeout)
        exceeded_limit = ""
        if has_ended or containment.poll_interval:
            exceeded_limit = containment.find_exceeded_limit()
        if has_ended or exceeded_limit:
            return False, exceeded_limit
        if time.monotonic() >= deadline:
            return True, ""


def _wait_for_end(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for the end of a child, 0 seconds for as long as it takes; return whether it came."""
    try:
        descriptor = os.pidfd_open(child.pid)
    except OSError:
        # an older kernel, or one that forbids it: then Python polls
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(seconds or None)
        return child.returncode is not None

    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000 if seconds else None))
    finally:
        os.close(descriptor)


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and all processes of its group, and wait until none of them runs."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)

    child.wait()
    _wait_for_group_end(child.pid)
    if isinstance(child, ContainedProcess) and child.containment:
        child.containment.close()


def _wait_for_group_end(group: int) -> None:
    """Wait until no process of a killed group runs.

    A signal is sent before it takes effect, and what a dying process still writes would land in
    a folder that its caller has given to another process.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    with contextlib.suppress(ProcessLookupError, PermissionError):
        # raises where the group has no process
        os.killpg(group, 0)
        while _is_group_running(group) and time.monotonic() < deadline:
            time.sleep(0.001)


def _is_group_running(group: int) -> bool:
    """Return whether a group has a process that is no zombie: those stay until they are reaped."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # `PID (NAME) STATE PARENT GROUP …`; a name may hold parentheses
            fields = stat.read_text().rpartition(")")[2].split()
            state, _parent, process_group = fields[:3]
            if int(process_group) == group and state not in "ZX":
                return True

    return False


def terminate(child: subprocess.Popen[bytes]) -> None:
    """Kill the child's group and close our ends of its pipes."""
    kill_group(child)
    for pipe in (child.stdin, child.stdout):
        if pipe is None:
            continue
        # closing flushes what was not written yet, which fails now
        with contextlib.suppress(OSError):
            pipe.close()


def _read_end(descriptor: int, max_bytes: int) -> bytes:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, max_bytes, max(0, size - max_bytes))
