"""Run untrusted code in isolation: no network, no credentials, no view of the host."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from crawler import process
from crawler.errors import MissingTool
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import seccomp
from crawler.sandbox.barriers import SelfTest, check_barriers
from crawler.sandbox.bubblewrap import (
    SandboxCommand,
    build_bubblewrap_command,
    build_plain_command,
)
from crawler.sandbox.containment import SandboxContainment, create_containment
from crawler.sandbox.mounts import Mount, list_python_mounts

__all__ = ["Mount", "SelfTest", "list_python_mounts", "run", "run_self_test", "start"]
_DEFAULTS: Final = Limits(
    processes=256,
    resident_bytes=4 << 30,
    scratch_bytes=1 << 30,
    inodes=1 << 18,
    cores=2,
)


def run(
    argv: Sequence[str],
    *,
    mounts: Iterable[Mount] = (),
    cwd: str = "/tmp",  # noqa: S108
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    limits: Limits | None = None,
    keep: int = 64 << 10,
    plain_if_unavailable: bool = False,
    loopback: bool = False,
    devices: Sequence[Path] = (),
) -> CompletedProcess:
    """Run `argv` inside to its end; it sees /usr read-only, a private /tmp, and `mounts`.

    Of the host's device files it sees `devices`, and with them what the system tells of
    devices; a GPU's driver asks.

    With `loopback` its processes may talk to each other, and to nobody else, by TCP.

    Parsing and compiling may ask for `plain_if_unavailable`: where the sandbox cannot work the
    same command runs under
    plain limits, so each of its mounts must have the same path inside and outside. Raises
    `MissingTool` otherwise.
    """
    bounds = _bounded(limits or Limits())
    if _unavailable(plain_if_unavailable):
        box = build_plain_command(argv, cwd, env or {}, limits or Limits())
        return process.run(
            box.argv,
            cwd=box.cwd,
            env=box.env,
            stdin=stdin,
            limits=box.limits,
            keep=keep,
        )
    box, fence = _made(
        argv,
        tuple(mounts),
        cwd,
        env or {},
        bounds,
        loopback=loopback,
        devices=tuple(devices),
    )
    return _run(box, fence, stdin, keep)


def start(
    argv: Sequence[str],
    *,
    mounts: Iterable[Mount] = (),
    cwd: str = "/tmp",  # noqa: S108
    env: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    plain_if_unavailable: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `argv` inside with pipes on standard input and output; the caller ends it by
    `process.end`.
    """
    if _unavailable(plain_if_unavailable):
        box = build_plain_command(argv, cwd, env or {}, limits or Limits())
        return process.start(
            box.argv, cwd=box.cwd, env=box.env, stdin=subprocess.PIPE, limits=box.limits
        )
    box, fence = _made(
        argv, tuple(mounts), cwd, env or {}, _bounded(limits or Limits())
    )
    return process.start(
        box.argv,
        env=box.env,
        stdin=subprocess.PIPE,
        limits=box.limits,
        pass_fds=box.fds,
        containment=fence,
    )


@cache
def run_self_test() -> SelfTest:
    """Start the sandbox once and look whether each of its barriers holds; cached for the life
    of this process.
    """
    return check_barriers(
        lambda argv, limits: _run(*_made(argv, (), "/", {}, limits), b"", 4096)
    )


def _unavailable(plain_instead: bool) -> bool:
    """Tell whether to do without; raises `MissingTool` where one must not."""
    tested = run_self_test()
    if tested.works or plain_instead:
        return not tested.works
    raise MissingTool(
        f"the sandbox does not work ({tested.reason}); see `kernelset doctor`",
        code="no-sandbox",
    )


def _run(
    box: SandboxCommand, fence: SandboxContainment, stdin: bytes, keep: int
) -> CompletedProcess:
    return process.run(
        box.argv,
        env=box.env,
        stdin=stdin,
        limits=box.limits,
        keep=keep,
        pass_fds=box.fds,
        containment=fence,
    )


def _made(
    argv: Sequence[str],
    mounts: tuple[Mount, ...],
    cwd: str,
    env: Mapping[str, str],
    limits: Limits,
    *,
    loopback: bool = False,
    devices: tuple[Path, ...] = (),
) -> tuple[SandboxCommand, SandboxContainment]:
    with ExitStack() as held:
        box = build_bubblewrap_command(
            argv,
            mounts,
            cwd,
            env,
            limits,
            held,
            seccomp.build_filter(loopback=loopback),
            devices,
        )
        return box, create_containment(limits, box, mounts, held.pop_all())


def _bounded(limits: Limits) -> Limits:
    """Fill in what was left open: nothing of a stranger runs without a bound."""
    return replace(
        limits,
        processes=limits.processes or _DEFAULTS.processes,
        resident_bytes=limits.resident_bytes
        or max(_DEFAULTS.resident_bytes, limits.memory_bytes),
        scratch_bytes=limits.scratch_bytes or _DEFAULTS.scratch_bytes,
        inodes=limits.inodes or _DEFAULTS.inodes,
        cores=limits.cores or _DEFAULTS.cores,
    )
