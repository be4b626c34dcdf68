"""A folder of ours, outside every record, for what is dear to make and can be made again."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

_KEPT: Final = 32


@cache
def folder() -> Path:
    """Return a folder that only we can write and everybody can read: the sandbox's nobody, too."""
    shared = Path(tempfile.gettempdir()) / f"kernelset-cache-{os.geteuid()}"
    with contextlib.suppress(FileExistsError):
        shared.mkdir()
    found = shared.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        shared = Path(tempfile.mkdtemp(prefix="kernelset-cache-"))
    shared.chmod(0o755)
    return shared


def made(name: str, make: Callable[[Path], bool]) -> Path | None:
    """Return the folder called `name`, filled by `make` when it is not there yet; `None` when `make` says so.

    Two processes may make it at once: each in its own place, and the first one is kept.
    """
    wanted = folder() / name
    if wanted.is_dir():
        return wanted
    scratch = Path(tempfile.mkdtemp(dir=folder(), prefix="making-"))
    scratch.chmod(0o755)
    try:
        if not make(scratch):
            return None
        try:
            scratch.rename(wanted)
        except OSError:
            return wanted if wanted.is_dir() else None
        _prune()
        return wanted
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _prune() -> None:
    """Keep the newest few: each change of a header or a compiler leaves one behind, and so does each kill."""
    dated: list[tuple[float, Path]] = []
    for path in folder().iterdir():
        with contextlib.suppress(FileNotFoundError):
            dated.append((path.stat().st_mtime, path))
    for _, path in sorted(dated, reverse=True)[_KEPT:]:
        shutil.rmtree(path, ignore_errors=True)
