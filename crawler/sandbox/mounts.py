"""Host files and folders that are visible inside the sandbox."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

ALL_FILES: Final = "**"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A file or folder of the host that is seen inside.

    A `writable` folder is a bounded copy in memory: what is written there never reaches the
    host's disk, but for the
    plain files that `brings` names or matches: `*` is every file directly in it, `**` every
    file at any depth. In the
    end, however it comes, these are put into `source`; links never are.
    """

    source: Path
    target: str
    writable: bool = False
    copy_back: tuple[str, ...] = (ALL_FILES,)


def list_python_mounts() -> tuple[Mount, ...]:
    """Return what this Python and our own packages need to run inside, at their own paths."""
    return tuple(Mount(source=path, target=str(path)) for path in _installed())


@cache
def _installed() -> tuple[Path, ...]:
    packages = Path(__file__).resolve().parents[1]
    prefixes = {Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix)}
    sites = {
        Path(entry).resolve()
        for entry in sys.path
        if entry.endswith(("site-packages", "dist-packages"))
    }
    return tuple(
        path
        for path in sorted({*prefixes, packages, *sites} - {Path("/usr")})
        if path.exists()
    )


def ensure_readable(mount: Mount, resources: ExitStack) -> Mount:
    """Return a mount that everybody can read: itself, or a copy that lives as long as
    `resources`.
    """
    status = mount.source.stat()
    # an installation is thousands of files, and laid out for everybody
    if mount.source in _installed() or _open_to_all(
        mount.source, status.st_ino, status.st_mtime_ns
    ):
        return mount
    copy = (
        Path(
            resources.enter_context(
                tempfile.TemporaryDirectory(prefix="kernelset-readable-")
            )
        )
        / "copy"
    )
    if mount.source.is_dir():
        shutil.copytree(
            mount.source, copy, symlinks=True, ignore=_neither_files_nor_folders
        )
    else:
        shutil.copyfile(mount.source, copy)
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            path.chmod(
                path.stat().st_mode
                | (0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
            )
    return replace(mount, source=copy)


@lru_cache(maxsize=256)
def _open_to_all(top: Path, _number: int, _changed: int) -> bool:
    if not _may_read(top.stat()):
        return False
    for folder, folders, names in os.walk(top):
        if not all(_is_open(f"{folder}/{name}") for name in (*folders, *names)):
            return False
    return True


def _is_open(path: str) -> bool:
    try:
        return _may_read(os.lstat(path))
    except FileNotFoundError:  # of a cache, which another process prunes meanwhile
        return True


def _may_read(status: os.stat_result) -> bool:
    needed = 0o005 if stat.S_ISDIR(status.st_mode) else 0o004
    return status.st_mode & needed == needed or not (
        stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    )


def _neither_files_nor_folders(folder: str, names: list[str]) -> set[str]:
    modes = {name: os.lstat(f"{folder}/{name}").st_mode for name in names}
    return {
        name
        for name, mode in modes.items()
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
    }
