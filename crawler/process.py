"""Start subprocesses with resource limits, a timeout and process-group cleanup; nothing else
may start one.
"""

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
from typing import IO, Protocol

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
    """RLIMIT_NPROC, which counts all of the same user."""
    resident_bytes: int = 0
    """Memory of all its processes together, what they keep in `/tmp` included; held by a
    `Fence` only, as are these:
    """
    scratch_bytes: int = 0
    """Bytes in each folder that it may write to."""
    inodes: int = 0
    """Files and folders that it may make."""
    cores: float = 0


class Containment(Protocol):
    """Bounds on all processes of a run together, which no limit on each of them could hold."""

    @property
    def poll_interval(self) -> float:
        """Return the seconds between two looks at `exceeded`; zero where it needs none before
        the end.
        """
        ...

    def open_entry_files(self) -> Sequence[int]:
        """Return the open files into which a new process writes `0` to be inside."""
        ...

    def attach(self, pid: int) -> None:
        """Take note of the outermost process."""
        ...

    def find_exceeded_limit(self) -> str:
        """Return the bound that was broken, as one word; empty where none was."""
        ...

    def close(self) -> None:
        """See every process inside gone, after their outermost was killed, and leave nothing
        behind.
        """
        ...


class ContainedProcess(subprocess.Popen[bytes]):
    """A started process, and the fence round it."""

    containment: Containment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletedProcess:
    """How a process ended; `output` and `errors` hold at most their last 64 KiB unless more was
    asked for.
    """

    argv: tuple[str, ...]
    exit_code: int
    """Negative for a signal."""
    output: bytes
    errors: bytes
    timed_out: bool
    exceeded_limit: str = ""
    """The bound of its fence that it broke: `memory`, `processes`, `scratch` or `inodes`."""

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
    containment: Containment | None = None,
) -> CompletedProcess:
    """Run `argv` to its end and return how it went, whatever the exit code.

    `env` is the whole environment (default: our own); `keep` bounds the bytes kept of each
    stream.
    Raises `MissingTool` where the program is not there.
    """
    limits = limits or Limits()
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
            timed_out, exceeded = _waited(child, limits.seconds)
        finally:
            kill_group(child)
        return CompletedProcess(
            argv=tuple(argv),
            exit_code=child.returncode,
            output=_tail(out.fileno(), keep),
            errors=_tail(err.fileno(), keep),
            timed_out=timed_out,
            exceeded_limit=exceeded,
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
    """Start `argv` as the leader of a new session that dies with us; the caller ends it by
    `kill_group`.
    """
    gates = containment.open_entry_files() if containment else ()
    try:
        child = ContainedProcess(
            list(argv),
            cwd=cwd,
            env=dict(env) if env is not None else None,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=_prepare(
                limits or Limits(), os.getpid(), gates, strange=containment is not None
            ),
            pass_fds=tuple(pass_fds),
        )
    except BaseException as error:
        if containment:
            containment.close()
        if isinstance(error, FileNotFoundError | PermissionError):
            raise MissingTool(
                f"{argv[0]} cannot be started ({error.strerror}): run `kernelset doctor`"
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


def _waited(child: subprocess.Popen[bytes], seconds: float) -> tuple[bool, str]:
    """Wait for a child's end, and tell whether its time was up before, and which bound of its
    fence it broke.
    """
    fence = child.containment if isinstance(child, ContainedProcess) else None
    if fence is None:
        return not _ended(child, seconds), ""
    deadline = time.monotonic() + seconds if seconds else float("inf")
    while True:
        left = deadline - time.monotonic()
        step = min(left, fence.poll_interval or left)
        ended = _ended(child, 0 if step == float("inf") else max(step, 0.001))
        exceeded = fence.find_exceeded_limit() if ended or fence.poll_interval else ""
        if ended or exceeded or time.monotonic() >= deadline:
            return not ended and not exceeded, exceeded


def _ended(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for the end of a child, 0 seconds for as long as it takes; tell whether it came."""
    try:
        descriptor = os.pidfd_open(child.pid)
    except (
        OSError
    ):  # an older kernel, or one that forbids it: then Python asks again and again
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
    if isinstance(child, ContainedProcess) and child.containment:
        child.containment.close()


def _see_gone(group: int) -> None:
    """Wait until no process of a killed group runs.

    A signal is sent before it is obeyed, and what a dying process still writes would land in a
    folder
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


def terminate(child: subprocess.Popen[bytes]) -> None:
    """Kill the child's group and close our ends of its pipes."""
    kill_group(child)
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            # what was not yet written to it is of no use any more
            with contextlib.suppress(OSError):
                pipe.close()


def _offer_first() -> None:
    """Be what the kernel ends first where the whole machine lacks memory."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb", 0) as own:  # noqa: PTH123
        own.write(b"500")


def _prepare(
    limits: Limits, parent: int, gates: Sequence[int], *, strange: bool
) -> Callable[[], None]:
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
        for gate in gates:
            os.write(gate, b"0")
        if strange:
            _offer_first()
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
