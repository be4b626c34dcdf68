"""The only place that runs a stranger's code: no network, no credentials, no view of the host."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from crawler import process
from crawler.errors import MissingTool
from crawler.process import Finished, Limits
from crawler.sandbox import seccomp

NOBODY = 65534
_TMP_BYTES = 4 << 30
_ISOLATION = (
    *("--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--cap-drop", "ALL", "--clearenv", "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox"),
)
_PROBE = """
test ! -e /root && test ! -e /home && test $(id -u) = 65534 && test -z "$(cat /proc/net/route 2>&- | sed 1d)" \\
&& grep -q '^Seccomp:[[:space:]]*2' /proc/self/status && ! unshare --ipc true 2>&-
"""
_ROOT_FOLDERS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("/etc/ld.so.cache", "/etc/alternatives")
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "TMPDIR": "/tmp"}  # noqa: S108


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A file or folder of the host that is seen inside; read-only unless `writable`."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """Whether the sandbox works on this machine, and why not."""

    works: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Command:
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path | None = None
    starter: tuple[str, ...] = ()
    """What stands before `argv` and takes a filter of system calls; nothing where the sandbox cannot work."""


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
) -> Finished:
    """Run `argv` inside to its end; it sees /usr read-only, a private /tmp, and `mounts`.

    With `loopback` its processes may talk to each other, and to nobody else, by TCP.

    Parsing and compiling may ask for `plain_if_unavailable`: where the sandbox cannot work the same command runs under
    plain limits, so each of its mounts must have the same path inside and outside. Raises `MissingTool` otherwise.
    """
    boxed = _command(argv, tuple(mounts), cwd, env or {}, plain_if_unavailable=plain_if_unavailable)
    with _opened(boxed, loopback=loopback) as (words, fds):
        return process.run(words, cwd=boxed.cwd, env=boxed.env, stdin=stdin, limits=limits, keep=keep, pass_fds=fds)


def start(
    argv: Sequence[str],
    *,
    mounts: Iterable[Mount] = (),
    cwd: str = "/tmp",  # noqa: S108
    env: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    plain_if_unavailable: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `argv` inside with pipes on standard input and output; the caller ends it by `process.end`."""
    boxed = _command(argv, tuple(mounts), cwd, env or {}, plain_if_unavailable=plain_if_unavailable)
    with _opened(boxed) as (words, fds):
        return process.start(words, cwd=boxed.cwd, env=boxed.env, stdin=subprocess.PIPE, limits=limits, pass_fds=fds)


def python_mounts() -> tuple[Mount, ...]:
    """Return what this Python and our own packages need to run inside, at their own paths."""
    packages = Path(__file__).resolve().parents[1]
    prefixes = {Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix)}
    wanted = {*prefixes, packages, *_site_folders()} - {Path("/usr")}
    return tuple(Mount(source=path, target=str(path)) for path in sorted(wanted) if path.exists())


@cache
def self_test() -> SelfTest:
    """Start the sandbox once and look whether it holds; cached for the life of this process."""
    if shutil.which("bwrap") is None:
        return SelfTest(works=False, reason="bubblewrap is not installed: run `deploy/bootstrap`")
    if not seccomp.program():
        return SelfTest(works=False, reason=f"no filter of system calls is known for {platform.machine()}")
    command = _boxed(("/bin/sh", "-c", _PROBE), (), "/", {})
    with _opened(command) as (words, fds):
        ended = process.run(words, env=command.env, limits=Limits(seconds=10), pass_fds=fds)
    if ended.exit_code == 0:
        return SelfTest(works=True)
    return SelfTest(works=False, reason=f"bubblewrap cannot isolate here: {ended.text.strip() or 'its probe failed'}")


def _command(
    argv: Sequence[str], mounts: tuple[Mount, ...], cwd: str, env: Mapping[str, str], *, plain_if_unavailable: bool
) -> _Command:
    tested = self_test()
    if tested.works:
        return _boxed(tuple(argv), mounts, cwd, env)
    if not plain_if_unavailable:
        raise MissingTool(f"the sandbox does not work ({tested.reason}); see `kernelset doctor`", code="no-sandbox")
    return _Command(tuple(argv), {**_ENVIRONMENT, **env}, Path(cwd))


def _boxed(argv: tuple[str, ...], mounts: tuple[Mount, ...], cwd: str, env: Mapping[str, str]) -> _Command:
    settings = [word for name, value in {**_ENVIRONMENT, **env}.items() for word in ("--setenv", name, value)]
    bwrap = shutil.which("bwrap") or "bwrap"
    boxed = (*_ISOLATION, *_root(), *_binds(mounts), *settings, "--chdir", cwd, "--", *argv)
    # bwrap's own environment stays readable at /proc/1/environ inside: it must be empty
    return _Command(boxed, {}, starter=(*_drop(mounts), bwrap))


@contextlib.contextmanager
def _opened(command: _Command, *, loopback: bool = False) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Give the words to start, and the open file of the filter that they speak of."""
    if not command.starter:
        yield command.argv, ()
        return
    with tempfile.TemporaryFile() as program:
        program.write(seccomp.program(loopback=loopback))
        program.seek(0)
        descriptor = program.fileno()
        yield (*command.starter, "--seccomp", str(descriptor), *command.argv), (descriptor,)


def _root() -> tuple[str, ...]:
    folders = ["--ro-bind", "/usr", "/usr"]
    for name in _ROOT_FOLDERS:
        path = Path(name)
        if path.is_symlink():
            folders += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            folders += ["--ro-bind", name, name]
    for name in (*_ETC, "/opt/rocm"):
        folders += ["--ro-bind-try", name, name]
    return (*folders, "--proc", "/proc", "--dev", "/dev", "--size", str(_TMP_BYTES), "--tmpfs", "/tmp")  # noqa: S108


def _binds(mounts: Iterable[Mount]) -> list[str]:
    binds = []
    for mount in mounts:
        binds += ["--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target]
    return binds


def _drop(mounts: tuple[Mount, ...]) -> tuple[str, ...]:
    """Be nobody on the host, too, where we are root and nobody can reach every mount."""
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None or not all(_reachable(mount.source) for mount in mounts):
        return ()
    for mount in mounts:
        if mount.writable:
            os.chown(mount.source, NOBODY, NOBODY)
    return (setpriv, "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups")


def _reachable(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o001 for folder in path.resolve().parents) and bool(path.stat().st_mode & 0o004)


def _site_folders() -> set[Path]:
    return {Path(entry).resolve() for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))}
