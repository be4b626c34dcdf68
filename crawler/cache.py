"""Shared on-disk cache for build products that can be rebuilt at any time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

_KEPT: Final = 32
_IN_USE: Final = 3600.0
"""Seconds for which what was asked for stays: several times what the longest compilation may
take.
"""


def ensure_cache_folder() -> Path:
    """Return a folder that only we can write and everybody can read: the sandbox's nobody, too.

    It is where temporary files went when this was first asked.
    """
    shared = _shared()
    with contextlib.suppress(FileExistsError):
        shared.mkdir()
    found = shared.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        shared = _unshared()
    shared.chmod(0o755)
    return shared


@cache
def _shared() -> Path:
    return Path(tempfile.gettempdir()) / f"kernelset-cache-{os.geteuid()}"


@cache
def _unshared() -> Path:
    return Path(tempfile.mkdtemp(prefix="kernelset-cache-"))


def get_or_build(
    name: str, build: Callable[[Path], bool], *, required_file: str
) -> Path | None:
    """Return the folder called `name`, filled by `build` when its file `required_file` is not
    there; `None` when `build` says so.

    Ask before every use: nobody removes it for an hour from then on, and what was removed
    before is made again. Two
    processes may make it at once: each in its own place, and the first one is kept.
    """
    wanted = ensure_cache_folder() / name
    if _taken(wanted, required_file):
        return wanted
    scratch = Path(tempfile.mkdtemp(dir=ensure_cache_folder(), prefix="making-"))
    scratch.chmod(0o755)
    try:
        if not build(scratch):
            return None
        with contextlib.suppress(OSError):
            scratch.rename(wanted)
        _prune()
        return wanted if _taken(wanted, required_file) else None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _taken(wanted: Path, holds: str) -> bool:
    """Tell whether it is there and whole, and mark it as used; what is not whole goes."""
    with _alone():
        if (wanted / holds).is_file():
            os.utime(wanted)
            return True
        removed = _set_aside(wanted)
    shutil.rmtree(removed, ignore_errors=True)
    return False


def _prune() -> None:
    """Remove what was used least lately: each change of a header or a compiler leaves one
    behind, each kill too.
    """
    dated: list[tuple[float, Path]] = []
    with _alone():
        for path in ensure_cache_folder().iterdir():
            with contextlib.suppress(FileNotFoundError):
                dated.append((path.stat().st_mtime, path))
        recent = time.time() - _IN_USE
        old = [
            path for used, path in sorted(dated, reverse=True)[_KEPT:] if used < recent
        ]
        removed = [_set_aside(path) for path in old]
    for path in removed:
        shutil.rmtree(path, ignore_errors=True)


def _set_aside(path: Path) -> Path:
    """Take a folder away from all who look for it, at once; removing what is in it takes longer."""
    aside = path.with_name(f"removing-{os.getpid()}-{path.name}")
    with contextlib.suppress(OSError):
        path.rename(aside)
    return aside


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Hold the folder's own lock, so that nothing is removed between a look and its mark."""
    held = os.open(ensure_cache_folder(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)
