"""Build the bubblewrap command line of a sandboxed program."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.process_limits import Limits
from crawler.sandbox import user
from crawler.sandbox.bubblewrap_mounts import (
    device_words,
    mount_words,
    parent_folder_words,
    system_words,
)
from crawler.sandbox.initial_contents import begin_with_copies
from crawler.sandbox.mounts import Mount
from crawler.sandbox.open_files import open_memory_file, open_pipe

BASE_ENVIRONMENT: Final = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",  # noqa: S108
}
_NOBODY: Final = "65534"
_NAMESPACES: Final = (
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
_ISOLATION: Final = (
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    "--hostname",
    "sandbox",
    "--cap-drop",
    "ALL",
)
# without root, all of it is inside a user namespace, in which no further one can be made
_USER_NAMESPACE: Final = (
    "--unshare-user",
    "--disable-userns",
    "--uid",
    _NOBODY,
    "--gid",
    _NOBODY,
)
# root needs no user namespace: it mounts, then changes to another user for good
_USER_CHANGE: Final = (
    "--cap-add",
    "CAP_SETUID",
    "--cap-add",
    "CAP_SETGID",
    "--cap-add",
    "CAP_SETPCAP",
)
_NO_CAPABILITIES: Final = (
    "--bounding-set=-all",
    "--inh-caps=-all",
    "--ambient-caps=-all",
)
READY_FOLDER: Final = "/.kernelset/ready"
"""Folder inside that is made after all mounts."""
# user namespaces have process counts of their own from this version of Linux on
_COUNTING_KERNEL: Final = (5, 14)


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxCommand:
    """A command that is ready to be started."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path | None = None
    fds: tuple[int, ...] = ()
    limits: Limits
    info_descriptor: int = -1
    """Pipe to which what isolates it writes the pid of the first process inside."""
    user_id: int | None = None
    """Its user on the host, where that is not ours."""
    release_descriptor: int = -1
    """Pipe to write to for the program to begin; -1 where it begins at once."""
    root_inside: str = ""
    """Where the run's writable folders lie as its first process sees them; empty for its root."""


def build_plain_command(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], limits: Limits
) -> SandboxCommand:
    """Return the command without a sandbox, for what may run where that cannot work."""
    return SandboxCommand(
        argv=tuple(argv),
        env={**BASE_ENVIRONMENT, **env},
        cwd=Path(cwd),
        limits=limits,
    )


def build_bubblewrap_command(
    argv: Sequence[str],
    mounts: Iterable[Mount],
    cwd: str,
    env: Mapping[str, str],
    limits: Limits,
    resources: ExitStack,
    seccomp_filter: bytes,
    devices: Sequence[Path] = (),
    system: Sequence[Path] | None = None,
) -> SandboxCommand:
    """Return the command that runs `argv` in the sandbox, its calls filtered by `seccomp_filter`.

    Its open files and temporary copies belong to `resources`.
    """
    user_id = user.allocate_user_id()
    mounts = tuple(mounts)
    filter_file = open_memory_file(seccomp_filter, resources)
    info_read, info_write = open_pipe(resources)
    block_read, block_write = -1, -1
    # the program waits until the writable folders are open on the host
    if any(mount.writable for mount in mounts):
        block_read, block_write = open_pipe(resources)

    words = (
        *_isolation_words(limits, user_id, system),
        *parent_folder_words(mounts),
        *mount_words(mounts, limits, user_id, resources),
        *device_words(devices),
        *_environment_words(env),
        *_final_words(cwd),
    )
    # a file and not the command line: bubblewrap's words and environment stay readable inside
    # at /proc/1, and tell of the host
    options = open_memory_file(_join_words(words), resources)
    starter = [
        shutil.which("bwrap") or "bwrap",
        "--seccomp",
        str(filter_file),
        "--info-fd",
        str(info_write),
    ]
    descriptors = [filter_file, options, info_write]
    if block_read >= 0:
        starter += ["--block-fd", str(block_read)]
        descriptors.append(block_read)

    demotion = _demotion_words(user_id, limits, devices)
    inside = (*demotion, *begin_with_copies(argv, mounts))

    return SandboxCommand(
        argv=(*starter, "--args", str(options), "--", *inside),
        env={},
        fds=tuple(descriptors),
        # RLIMIT_NPROC counts all processes of a user, and so is right only for a new user
        limits=limits if user_id is not None else replace(limits, processes=0),
        info_descriptor=info_read,
        user_id=user_id,
        release_descriptor=block_write,
    )


def _join_words(words: Iterable[str]) -> bytes:
    """Return words as bubblewrap's `--args` reads them: each ends with NUL."""
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def _isolation_words(
    limits: Limits, user_id: int | None, system: Sequence[Path] | None
) -> Iterator[str]:
    yield from _NAMESPACES
    yield from _ISOLATION
    yield from _USER_NAMESPACE if user_id is None else _USER_CHANGE
    yield from system_words(limits, system)


def _final_words(cwd: str) -> tuple[str, ...]:
    """Return the words after all mounts: say that they are there, then write-protect the rest."""
    return (
        "--dir",
        READY_FOLDER,
        "--remount-ro",
        "/dev",
        "--remount-ro",
        "/",
        "--chdir",
        cwd,
    )


def _environment_words(env: Mapping[str, str]) -> Iterator[str]:
    for name, value in {**BASE_ENVIRONMENT, **env}.items():
        yield from ("--setenv", name, value)


def _demotion_words(
    user_id: int | None, limits: Limits, devices: Sequence[Path]
) -> tuple[str, ...]:
    """Return the command that runs another one as an unprivileged user, or with a process limit."""
    if user_id is not None:
        return (
            shutil.which("setpriv") or "setpriv",
            "--reuid",
            str(user_id),
            "--regid",
            str(user_id),
            _groups_option(devices),
            *_NO_CAPABILITIES,
            "--",
        )

    prlimit = shutil.which("prlimit")
    if prlimit is None:
        return ()

    release = os.uname().release.split(".")
    # an older kernel would count all that the owner of the namespace runs
    if tuple(map(int, release[:2])) < _COUNTING_KERNEL:
        return ()

    return (prlimit, f"--nproc={limits.processes}", "--")


def _groups_option(devices: Sequence[Path]) -> str:
    """Return the option of `setpriv` that leaves the groups which may open `devices`."""
    groups = sorted({device.stat().st_gid for device in devices} - {0})
    if not groups:
        return "--clear-groups"
    return f"--groups={','.join(map(str, groups))}"
