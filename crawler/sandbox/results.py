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

_MOST_FILES: Final = 50_000
_DEEPEST: Final = 64
_PART: Final = 1 << 20


def copy_results(folder: int, mount: Mount, max_bytes: int) -> None:
    """Copy the plain files in the open `folder` that `mount` asks for to its source,
    `max_bytes` in all at most.
    """
    left = max_bytes
    for inside, path in islice(_wanted(folder, mount.copy_back), _MOST_FILES):
        with contextlib.suppress(OSError):
            left -= _copied(inside, path.name, mount.source / path, left)


def _wanted(folder: int, patterns: tuple[str, ...]) -> Iterator[tuple[int, Path]]:
    """Yield an open folder, and the path of a file in it; names that would do something to a
    terminal stay behind.
    """
    for place, folders, names, inside in os.fwalk(".", dir_fd=folder):
        path = Path(place)
        deep = ALL_FILES in patterns and len(path.parts) < _DEEPEST
        folders[:] = filter(str.isprintable, folders) if deep else ()
        for name in filter(str.isprintable, names):
            if deep or any(fnmatchcase(name, pattern) for pattern in patterns):
                yield inside, path / name


def _copied(folder: int, name: str, target: Path, most: int) -> int:
    """Copy one file and return its size; what is no plain file, or larger than `most`, stays
    behind.
    """
    descriptor = os.open(
        name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
    )
    try:
        state = os.fstat(descriptor)
        if (
            not stat.S_ISREG(state.st_mode)
            or state.st_size > most
            or _is_same(state, target)
        ):
            return 0
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        with target.open("xb", 0) as copy:
            while part := os.read(descriptor, _PART):
                copy.write(part)
        target.chmod(0o755 if state.st_mode & stat.S_IXUSR else 0o644)
        os.utime(target, ns=(state.st_mtime_ns, state.st_mtime_ns))
        return state.st_size
    finally:
        os.close(descriptor)


def _is_same(state: os.stat_result, target: Path) -> bool:
    """Tell whether it is what was given, as far as its size and time tell."""
    with contextlib.suppress(OSError):
        given = target.lstat()
        return (given.st_size, given.st_mtime_ns) == (state.st_size, state.st_mtime_ns)
    return False
