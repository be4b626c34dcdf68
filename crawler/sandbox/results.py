"""Copy result files out of a sandboxed folder after the run."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.sandbox.mounts import ALL_FILES, Mount

_MAX_FILES: Final = 50_000
_MAX_DEPTH: Final = 64
_CHUNK_BYTES: Final = 1 << 20
# the program made the file: it may be a link out of the sandbox, or a pipe that blocks
_SAFE_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def copy_results(folder: int, mount: Mount, max_bytes: int) -> None:
    """Copy the plain files in the open `folder` that `mount` asks for to its source.

    They have `max_bytes` in all at most.
    """
    remaining = max_bytes
    wanted_files = _find_files(folder, mount.copy_back)

    for descriptor, path in islice(wanted_files, _MAX_FILES):
        with contextlib.suppress(OSError):
            target = mount.source / path
            remaining -= _copy_file(descriptor, path.name, target, remaining)


def _find_files(folder: int, patterns: tuple[str, ...]) -> Iterator[tuple[int, Path]]:
    """Yield (descriptor of an open folder, path of a file in it below `folder`).

    Names that would control a terminal are skipped.
    """
    for place, subfolders, names, descriptor in os.fwalk(".", dir_fd=folder):
        path = Path(place)
        depth = len(path.parts)
        takes_all = ALL_FILES in patterns and depth < _MAX_DEPTH
        # `fwalk` goes down into what is left in this list
        if takes_all:
            subfolders[:] = filter(str.isprintable, subfolders)
        else:
            subfolders.clear()

        for name in filter(str.isprintable, names):
            if takes_all or _matches_any(name, patterns):
                yield descriptor, path / name


def _matches_any(name: str, patterns: tuple[str, ...]) -> bool:
    for pattern in patterns:
        if fnmatchcase(name, pattern):
            return True

    return False


def _copy_file(folder: int, name: str, target: Path, max_bytes: int) -> int:
    """Copy one file and return its size; 0 for what is larger or no plain file, and stays."""
    descriptor = os.open(name, _SAFE_READ, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return 0
        if status.st_size > max_bytes:
            return 0
        if _is_unchanged(status, target):
            return 0

        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        _copy_content(descriptor, target)
        is_executable = bool(status.st_mode & stat.S_IXUSR)
        mode = 0o755 if is_executable else 0o644
        target.chmod(mode)
        modified = status.st_mtime_ns
        os.utime(target, ns=(modified, modified))

        return status.st_size
    finally:
        os.close(descriptor)


def _copy_content(descriptor: int, target: Path) -> None:
    with target.open("xb", 0) as copy:
        while chunk := os.read(descriptor, _CHUNK_BYTES):
            copy.write(chunk)


def _is_unchanged(status: os.stat_result, target: Path) -> bool:
    """Return whether a file is what the host gave, as far as its size and time tell."""
    with contextlib.suppress(OSError):
        target_status = target.lstat()
        has_same_size = target_status.st_size == status.st_size
        has_same_time = target_status.st_mtime_ns == status.st_mtime_ns
        return has_same_size and has_same_time

    # there was none
    return False
