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

_MAX_IDLE_FOLDERS: Final = 32
"""How many folders stay although nobody uses them."""
OBJECT_PREFIX: Final = "object-"
"""Begins the name of a folder with one object file: those are small, and a project has hundreds."""
_MAX_IDLE_OBJECTS: Final = 1024
_IN_USE_SECONDS: Final = 3600.0
"""Seconds for which a folder stays after it was asked for: several times what the longest
compilation may take.
"""
_FOLDER_MODE: Final = 0o755
_ASIDE_PREFIX: Final = "removing-"


def ensure_cache_folder() -> Path:
    """Return a folder that only we can write and everybody can read, the sandbox's user too.

    It lies where temporary files went when this was first called.
    """
    folder = _shared_folder()
    with contextlib.suppress(FileExistsError):
        folder.mkdir()

    status = folder.lstat()
    # another user may have made it, or a link of that name, to have us read files of theirs
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        folder = _private_folder()

    folder.chmod(_FOLDER_MODE)

    return folder


@cache
def _shared_folder() -> Path:
    return Path(tempfile.gettempdir()) / f"kernelset-cache-{os.geteuid()}"


@cache
def _private_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="kernelset-cache-"))


def get_or_build(
    name: str, build: Callable[[Path], bool], *, required_file: str
) -> Path | None:
    """Return the folder called `name`; `build` fills it when its `required_file` is missing.

    Returns `None` when `build` returns false. Ask before every use: nobody removes the folder
    for an hour from then on, and one that was removed before is built again. Two processes may
    build it at once: each in its own place, and the first one is kept.
    """
    folder = ensure_cache_folder() / name
    if _touch_if_complete(folder, required_file):
        return folder

    scratch = Path(tempfile.mkdtemp(dir=ensure_cache_folder(), prefix="making-"))
    scratch.chmod(_FOLDER_MODE)

    try:
        if not build(scratch):
            return None

        # fails where another process was first
        with contextlib.suppress(OSError):
            scratch.rename(folder)

        _prune()
        return folder if _touch_if_complete(folder, required_file) else None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _touch_if_complete(folder: Path, required_file: str) -> bool:
    """Return whether a folder is complete, and mark it as used; an incomplete one is removed."""
    with _lock_cache():
        if (folder / required_file).is_file():
            os.utime(folder)
            return True
        removed = _set_aside(folder)

    _remove(removed)
    return False


def _prune() -> None:
    """Remove the least recently used folders, and files such as locks.

    Each change of a header or a compiler leaves one behind, and so does each killed build.
    """
    with _lock_cache():
        dated = _list_folders_by_use()
        objects = [each for each in dated if each[1].name.startswith(OBJECT_PREFIX)]
        others = [each for each in dated if not each[1].name.startswith(OBJECT_PREFIX)]
        surplus = [*others[_MAX_IDLE_FOLDERS:], *objects[_MAX_IDLE_OBJECTS:]]
        in_use_since = time.time() - _IN_USE_SECONDS
        removed = [_set_aside(path) for used, path in surplus if used < in_use_since]

    # outside the lock: removing what is in them takes long
    for path in removed:
        _remove(path)


def _list_folders_by_use() -> list[tuple[float, Path]]:
    """Return (time of last use, path) of each folder, most recent first."""
    dated: list[tuple[float, Path]] = []
    for path in ensure_cache_folder().iterdir():
        with contextlib.suppress(FileNotFoundError):
            dated.append((path.stat().st_mtime, path))
    return sorted(dated, reverse=True)


def _set_aside(path: Path) -> Path:
    """Rename a folder, so that nobody finds it any more, and return its new path."""
    # one that a killed process has left aside
    if path.name.startswith(_ASIDE_PREFIX):
        return path

    aside = path.with_name(f"{_ASIDE_PREFIX}{os.getpid()}-{path.name}")
    with contextlib.suppress(OSError):
        path.rename(aside)
    return aside


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


@contextlib.contextmanager
def _lock_cache() -> Iterator[None]:
    """Lock the cache folder, so that nothing is removed between a check and its mark."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    descriptor = os.open(ensure_cache_folder(), flags)

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
