"""The only place that starts a process: limits, a timeout, and the whole process group killed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from crawler.errors import MissingTool

Stream = int | IO[bytes]
_OUTPUT_KEPT = 64 << 10
_OBEYED_SECONDS = 2.0
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on one process and its children; zero means no bound."""

    seconds: float = 60.0
    memory_bytes: int = 0
    """RLIMIT_AS of each process."""
    file_bytes: int = 1 << 30
    open_files: int = 1024
    cpu_seconds: int = 0
    processes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a process ended; `output` and `errors` hold at most their last 64 KiB unless more was asked for."""

    argv: tuple[str, ...]
    exit_code: int
    """Negative for a signal."""
    output: bytes
    errors: bytes
    timed_out: bool

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
    keep: int = _OUTPUT_KEPT,
    pass_fds: Sequence[int] = (),
) -> Finished:
    """Run `argv` to its end and return how it went, whatever the exit code.

    `env` is the whole environment (default: our own); `keep` bounds the bytes kept of each stream.
    Raises `MissingTool` where the program is not there.
    """
    limits = limits or Limits()
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        source.write(stdin)
        source.seek(0)
        child = start(argv, cwd=cwd, env=env, stdin=source, stdout=out, stderr=err, limits=limits, pass_fds=pass_fds)
        try:
            timed_out = not _ended(child, limits.seconds)
        finally:
            kill_group(child)
        return Finished(
            argv=tuple(argv),
            exit_code=child.returncode,
            output=_tail(out.fileno(), keep),
            errors=_tail(err.fileno(), keep),
            timed_out=timed_out,
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
) -> subprocess.Popen[bytes]:
    """Start `argv` as the leader of a new session that dies with us; the caller ends it by `kill_group`."""
    try:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env) if env is not None else None,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=_prepare(limits or Limits(), os.getpid()),
            pass_fds=tuple(pass_fds),
        )
    except (FileNotFoundError, PermissionError) as error:
        raise MissingTool(f"{argv[0]} cannot be started ({error.strerror}): run `kernelset doctor`") from error


def _ended(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for the end of a child, 0 seconds for as long as it takes; tell whether it came."""
    try:
        descriptor = os.pidfd_open(child.pid)
    except OSError:  # an older kernel, or one that forbids it: then Python asks again and again
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(seconds or None)
        return child.returncode is not None
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(seconds * 1000 if seconds else None))
    finally:
        os.close(descriptor)


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and everything it started in its group, reap it, and see the others gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    _see_gone(child.pid)


def _see_gone(group: int) -> None:
    """Wait until no process of a killed group runs.

    A signal is sent before it is obeyed, and what a dying process still writes would land in a folder
    that its caller has given to somebody else.
    """
    deadline = time.monotonic() + _OBEYED_SECONDS
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, 0)
        while _runs(group) and time.monotonic() < deadline:
            time.sleep(0.001)


def _runs(group: int) -> bool:
    """Whether a group has a process that is no zombie: those stay until somebody reaps them."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _parent, its_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                return True
    return False


def end(child: subprocess.Popen[bytes]) -> None:
    """Kill the child's group and close our ends of its pipes."""
    kill_group(child)
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            # what was not yet written to it is of no use any more
            with contextlib.suppress(OSError):
                pipe.close()


def _prepare(limits: Limits, parent: int) -> Callable[[], None]:
    bounds = (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_NPROC, limits.processes),
    )

    def prepare() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(127)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for kind, bound in bounds:
            if bound:
                hard = resource.getrlimit(kind)[1]
                value = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
                resource.setrlimit(kind, (value, value))

    return prepare


def _tail(descriptor: int, keep: int) -> bytes:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, keep, max(0, size - keep))
