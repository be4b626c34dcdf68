"""Build the bubblewrap command line of a sandboxed program."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.process import Limits
from crawler.sandbox import user
from crawler.sandbox.mounts import Mount, ensure_readable

BASE_ENVIRONMENT: Final = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",  # noqa: S108
}
_NOBODY: Final = 65534
_SPACES: Final = (
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
_ALWAYS: Final = (
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    "--hostname",
    "sandbox",
    "--cap-drop",
    "ALL",
)
# without root there is a user namespace round it all, in which nothing more can be gained
_OURSELVES: Final = (
    "--unshare-user",
    "--disable-userns",
    "--uid",
    str(_NOBODY),
    "--gid",
    str(_NOBODY),
)
# root needs none: it makes the mounts, and becomes somebody else for good
_BECOMING: Final = tuple(
    word
    for name in ("SETUID", "SETGID", "SETPCAP")
    for word in ("--cap-add", f"CAP_{name}")
)
_POWERLESS: Final = ("--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all")
_ROOT_FOLDERS: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC: Final = ("/etc/ld.so.cache", "/etc/alternatives")
_OF_DEVICES: Final = (
    "/sys/class",
    "/sys/dev",
    "/sys/devices",
    "/sys/module/amdgpu",
    "/sys/bus/pci",
)
"""Where drivers of GPUs read of nodes, memory and clocks."""
_SHARED_BYTES: Final = 64 << 20
_GIVEN: Final = "/.kernelset/given"
READY_FOLDER: Final = "/.kernelset/ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxCommand:
    """A command that is ready to be started."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path | None = None
    fds: tuple[int, ...] = ()
    limits: Limits
    info_descriptor: int = -1
    """Where bubblewrap says which process is the first one inside."""
    user_id: int | None = None
    """Who it is on the host, where that is not who we are."""
    release_descriptor: int = -1
    """What to write to for the program to begin, where it waits until its folders were opened."""


def build_plain_command(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], limits: Limits
) -> SandboxCommand:
    """Return the command as it is, for what may run where the sandbox cannot work."""
    return SandboxCommand(
        argv=tuple(argv), env={**BASE_ENVIRONMENT, **env}, cwd=Path(cwd), limits=limits
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
) -> SandboxCommand:
    """Return the command that runs `argv` inside, its calls filtered by `seccomp_filter`; its
    open files belong to `resources`.
    """
    identity = user.allocate_user_id()
    mounts = tuple(mounts)
    filtered = _file(seccomp_filter, resources)
    told, telling = _pipe(resources)
    wait, go = _pipe(resources) if any(mount.writable for mount in mounts) else (-1, -1)
    words = (
        *_SPACES,
        *_ALWAYS,
        *(_OURSELVES if identity is None else _BECOMING),
        *_root(limits),
    )
    words = (*words, *_folders(mounts), *_views(mounts, limits, identity, resources))
    words = (
        *words,
        *_of_devices(devices),
        *_environment(env),
        "--dir",
        READY_FOLDER,
        "--remount-ro",
        "/dev",
        "--remount-ro",
        "/",
        "--chdir",
        cwd,
    )
    options = _file(b"".join(os.fsencode(word) + b"\0" for word in words), resources)
    # bwrap's own environment stays readable at /proc/1/environ inside, and its words tell of
    # the host
    starter = (
        shutil.which("bwrap") or "bwrap",
        "--seccomp",
        str(filtered),
        "--info-fd",
        str(telling),
    )
    waiting = ("--block-fd", str(wait)) if wait >= 0 else ()
    inside = (*_demoted(identity, limits, devices), *_surrounded(argv, mounts))
    return SandboxCommand(
        argv=(*starter, *waiting, "--args", str(options), "--", *inside),
        env={},
        fds=tuple(
            descriptor
            for descriptor in (filtered, options, telling, wait)
            if descriptor >= 0
        ),
        # a count by user is right only where the user is new
        limits=limits if identity is not None else replace(limits, processes=0),
        info_descriptor=told,
        user_id=identity,
        release_descriptor=go,
    )


def _pipe(held: ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for end in ends:
        held.callback(os.close, end)
    return ends


def _file(content: bytes, held: ExitStack) -> int:
    descriptor = os.memfd_create("kernelset")
    held.callback(os.close, descriptor)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _root(limits: Limits) -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in _ROOT_FOLDERS:
        path = Path(name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), name)
        elif path.is_dir():
            yield from ("--ro-bind", name, name)
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from _memory("/dev/shm", min(_SHARED_BYTES, limits.scratch_bytes))  # noqa: S108
    yield from _memory("/tmp", limits.scratch_bytes)  # noqa: S108


def _folders(mounts: Sequence[Mount]) -> Iterator[str]:
    """Make what lies above each mount, since bubblewrap would make it for its own user alone."""
    targets = (*_ETC, f"{_GIVEN}/0")
    above = {
        parent
        for target in (*targets, *(mount.target for mount in mounts))
        for parent in Path(target).parents
    }
    for folder in sorted(above - {Path("/")}):
        yield from ("--perms", "0755", "--dir", str(folder))


def _memory(target: str, size: int) -> tuple[str, ...]:
    return ("--size", str(size), "--perms", "1777", "--tmpfs", target)


def _views(
    mounts: Sequence[Mount], limits: Limits, identity: int | None, held: ExitStack
) -> Iterator[str]:
    for name in (*_ETC, "/opt/rocm"):
        yield from ("--ro-bind-try", name, name)
    for number, mount in enumerate(mounts):
        if mount.writable:
            yield from _memory(mount.target, limits.scratch_bytes)
        if not mount.writable or _has_content(mount):
            seen = mount if identity is None else ensure_readable(mount, held)
            yield from (
                "--ro-bind",
                str(seen.source),
                f"{_GIVEN}/{number}" if mount.writable else mount.target,
            )


def _of_devices(devices: Sequence[Path]) -> Iterator[str]:
    """Show device files, and what their drivers ask the system about them; without any, nothing
    of it.
    """
    told = tuple(map(Path, _OF_DEVICES)) if devices else ()
    above = {parent for path in (*devices, *told) for parent in path.parents} - {
        Path("/"),
        Path("/dev"),
    }
    for folder in sorted(above):
        yield from ("--perms", "0755", "--dir", str(folder))
    for device in devices:
        yield from ("--dev-bind", str(device), str(device))
    for folder in told:
        yield from ("--ro-bind-try", str(folder), str(folder))


def _has_content(mount: Mount) -> bool:
    return any(mount.source.iterdir())


def _environment(env: Mapping[str, str]) -> Iterator[str]:
    for name, value in {**BASE_ENVIRONMENT, **env}.items():
        yield from ("--setenv", name, value)


def _demoted(
    identity: int | None, limits: Limits, devices: Sequence[Path]
) -> tuple[str, ...]:
    if identity is not None:
        setpriv = shutil.which("setpriv") or "setpriv"
        groups = sorted({device.stat().st_gid for device in devices} - {0})
        kept = f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups"
        return (
            setpriv,
            "--reuid",
            str(identity),
            "--regid",
            str(identity),
            kept,
            *_POWERLESS,
            "--",
        )
    prlimit = shutil.which("prlimit")
    # since 5.14 a user namespace counts for itself; before, all that its owner runs would count
    if prlimit is None or tuple(map(int, os.uname().release.split(".")[:2])) < (5, 14):
        return ()
    return (prlimit, f"--nproc={limits.processes}", "--")


def _surrounded(argv: Sequence[str], mounts: Sequence[Mount]) -> tuple[str, ...]:
    """Fill the writable folders before, where there is something to fill them with."""
    filled = [
        f"cp -RPp {_GIVEN}/{number}/. {_quoted(mount.target)}/ || exit 125"
        for number, mount in enumerate(mounts)
        if mount.writable and _has_content(mount)
    ]
    return (
        ("/bin/sh", "-c", "\n".join([*filled, 'exec "$@"']), "sh", *argv)
        if filled
        else tuple(argv)
    )


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'"
