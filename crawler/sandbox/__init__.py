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
from crawler.plain_runs import VARIABLE, are_plain_runs_allowed
from crawler.process import CompletedProcess
from crawler.process_limits import Containment, Limits
from crawler.sandbox.backend import RunRequest, find_backend
from crawler.sandbox.barriers import SelfTest, check_barriers
from crawler.sandbox.bubblewrap import SandboxCommand, build_plain_command
from crawler.sandbox.mounts import Mount, list_python_mounts, make_python_environment

__all__ = [
    "Mount",
    "SelfTest",
    "can_parse",
    "choose_target",
    "explain_missing_builds",
    "find_backend",
    "list_python_mounts",
    "make_python_environment",
    "require_parsing",
    "run",
    "run_self_test",
    "start",
]
_DEFAULT_LIMITS: Final = Limits(
    processes=256,
    resident_bytes=4 << 30,
    scratch_bytes=1 << 30,
    inodes=1 << 18,
    cores=2,
)
_SELF_TEST_OUTPUT_BYTES: Final = 4096


def run(
    argv: Sequence[str],
    *,
    mounts: Iterable[Mount] = (),
    cwd: str = "/tmp",  # noqa: S108
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    limits: Limits | None = None,
    keep: int = 64 << 10,
    plain_if_allowed: bool = False,
    loopback: bool = False,
    devices: Sequence[Path] = (),
    system: Sequence[Path] | None = None,
) -> CompletedProcess:
    """Run `argv` in the sandbox to its end; it sees /usr read-only, a private /tmp, and `mounts`.

    Where `system` is given, it sees these files and folders of the host in place of all of /usr.
    Of the host's device files it sees `devices`, and with them what GPU drivers read of them
    below /sys. With `loopback` its processes may talk to each other by TCP, and to nobody else.

    Parsing and compiling may ask for `plain_if_allowed`: where the sandbox cannot work and a
    setting allows it, the same command runs under plain limits, so each of its mounts must have
    the same path inside and outside. Raises `MissingTool` otherwise.
    """
    bounded = _fill_in_limits(limits or Limits())
    if plain_if_allowed and _must_run_plainly():
        command = build_plain_command(argv, cwd, env or {}, limits or Limits())
        return process.run(
            command.argv,
            cwd=command.cwd,
            env=command.env,
            stdin=stdin,
            limits=command.limits,
            keep=keep,
        )

    _require_sandbox()
    request = RunRequest(
        argv=tuple(argv),
        mounts=tuple(mounts),
        cwd=cwd,
        env=env or {},
        limits=bounded,
        loopback=loopback,
        devices=tuple(devices),
        system=None if system is None else tuple(system),
    )
    command, containment = _prepare(request)
    return _run_contained(command, containment, stdin, keep)


def start(
    argv: Sequence[str],
    *,
    mounts: Iterable[Mount] = (),
    cwd: str = "/tmp",  # noqa: S108
    env: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    plain_if_allowed: bool = False,
    system: Sequence[Path] | None = None,
) -> subprocess.Popen[bytes]:
    """Start `argv` in the sandbox with pipes on standard input and output.

    `system` is as for `run`.

    The caller ends it by `process.terminate`.
    """
    if plain_if_allowed and _must_run_plainly():
        command = build_plain_command(argv, cwd, env or {}, limits or Limits())
        return process.start(
            command.argv,
            cwd=command.cwd,
            env=command.env,
            stdin=subprocess.PIPE,
            limits=command.limits,
        )

    _require_sandbox()
    request = RunRequest(
        argv=tuple(argv),
        mounts=tuple(mounts),
        cwd=cwd,
        env=env or {},
        limits=_fill_in_limits(limits or Limits()),
        system=None if system is None else tuple(system),
    )
    command, containment = _prepare(request)
    return process.start(
        command.argv,
        env=command.env,
        stdin=subprocess.PIPE,
        limits=command.limits,
        pass_fds=command.fds,
        containment=containment,
    )


def run_self_test() -> SelfTest:
    """Start the sandbox once and check each of its barriers; cached for the life of the process."""
    return _run_self_test(find_backend().name)


@cache
def _run_self_test(name: str) -> SelfTest:
    backend = find_backend()
    problem = backend.find_missing_requirement()
    if problem:
        return SelfTest(works=False, reason=problem)

    return check_barriers(name, backend.barriers, _run_check)


@cache
def _check_builds(name: str) -> SelfTest:
    return check_barriers(name, find_backend().needed_by_builds, _run_check)


def _run_check(argv: tuple[str, ...], limits: Limits) -> CompletedProcess:
    request = RunRequest(argv=argv, mounts=(), cwd="/", env={}, limits=limits)
    command, containment = _prepare(request)
    return _run_contained(command, containment, b"", _SELF_TEST_OUTPUT_BYTES)


def choose_target(folder: Path, wanted_target: str) -> str:
    """Return where a run sees `folder`: at `wanted_target`, else where it is."""
    return wanted_target if find_backend().can_move_folders else str(folder)


def explain_missing_builds() -> str:
    """Return why no project's build and no program of its own can be run here, empty where they
    can: both want folders of their own places, as /usr/local/cuda is, and programs of the system.
    """
    self_test = run_self_test()
    if not self_test.works:
        return self_test.reason
    backend = find_backend()
    if not backend.can_move_folders:
        return f"{backend.name} shows no folder at another path"
    if not backend.needed_by_builds:
        return ""
    return _check_builds(backend.name).reason


def can_parse() -> bool:
    """Return whether strangers' sources may be parsed and compiled here."""
    return run_self_test().works or are_plain_runs_allowed()


def require_parsing() -> None:
    """Raise `MissingTool` where strangers' sources may not be parsed and compiled here."""
    if can_parse():
        return

    raise MissingTool(
        f"the sandbox does not work ({run_self_test().reason}), without which a source may "
        "bring any file of this machine into its results: see `kernelset doctor`; "
        f"for sources that you trust, set {VARIABLE}=1",
        code="no-sandbox",
    )


def _require_sandbox() -> None:
    self_test = run_self_test()
    if not self_test.works:
        raise MissingTool(
            f"the sandbox does not work ({self_test.reason}); see `kernelset doctor`",
            code="no-sandbox",
        )


def _must_run_plainly() -> bool:
    """Return whether to parse without the sandbox; raises `MissingTool` where nobody allows it."""
    require_parsing()
    return not run_self_test().works


def _run_contained(
    command: SandboxCommand, containment: Containment, stdin: bytes, keep: int
) -> CompletedProcess:
    return process.run(
        command.argv,
        env=command.env,
        stdin=stdin,
        limits=command.limits,
        keep=keep,
        pass_fds=command.fds,
        containment=containment,
    )


def _prepare(request: RunRequest) -> tuple[SandboxCommand, Containment]:
    """Return the command to start and its containment, which owns the open files of both."""
    resources = ExitStack()
    try:
        return find_backend().prepare(request, resources)
    except BaseException:
        # without an error they are closed at the end of the run
        resources.close()
        raise


def _fill_in_limits(limits: Limits) -> Limits:
    """Replace bounds of zero by defaults: no untrusted code runs without them."""
    default_resident_bytes = max(_DEFAULT_LIMITS.resident_bytes, limits.memory_bytes)
    return replace(
        limits,
        processes=limits.processes or _DEFAULT_LIMITS.processes,
        resident_bytes=limits.resident_bytes or default_resident_bytes,
        scratch_bytes=limits.scratch_bytes or _DEFAULT_LIMITS.scratch_bytes,
        inodes=limits.inodes or _DEFAULT_LIMITS.inodes,
        cores=limits.cores or _DEFAULT_LIMITS.cores,
    )
