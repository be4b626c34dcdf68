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

from crawler.sandbox.process_folders import make_prefix

ALL_FILES: Final = "**"
_SYSTEM_FOLDER: Final = "/usr"
_SITE_FOLDERS: Final = ("site-packages", "dist-packages")
_READABLE_FOLDER: Final = 0o755
_READABLE_FILE: Final = 0o644
_OWNER_MAY_EXECUTE: Final = 0o100
_COPY_PURPOSE: Final = "readable"
_COPY_PREFIX: Final = f"kernelset-{_COPY_PURPOSE}-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A file or folder of the host that is visible inside.

    A `writable` folder is a bounded copy in memory: what is written there never reaches the
    host's disk, except for the plain files that `copy_back` names or matches: `*` is every file
    directly in it, `**` every file at any depth. At the end of a run, however it ends, these are
    copied into `source`; links never are.
    """

    source: Path
    target: str
    writable: bool = False
    copy_back: tuple[str, ...] = (ALL_FILES,)


def list_python_mounts() -> tuple[Mount, ...]:
    """Return what this Python and our own packages need to run inside, at their own paths."""
    return tuple(
        Mount(source=path, target=str(path)) for path in _installation_folders()
    )


def make_python_environment() -> dict[str, str]:
    """Return the variables by which a Python inside finds our own packages.

    They need not be installed beside it: `PYTHONPATH` may name them outside, and a link of an
    editable installation may lead to another checkout. Installed packages are found without:
    in front of the standard library's they could hide one of its modules.
    """
    folder = Path(__file__).resolve().parents[2]
    return {} if folder.name in _SITE_FOLDERS else {"PYTHONPATH": str(folder)}


@cache
def _installation_folders() -> tuple[Path, ...]:
    folders = {Path(__file__).resolve().parents[1]}
    for prefix in (sys.prefix, sys.base_prefix):
        folders.add(Path(prefix).resolve())

    for entry in sys.path:
        if entry.endswith(_SITE_FOLDERS):
            folders.add(Path(entry).resolve())

    # the sandbox shows it anyway
    folders.discard(Path("/usr"))

    return tuple(path for path in sorted(folders) if path.exists())


def ensure_readable(mount: Mount, resources: ExitStack) -> Mount:
    """Return a mount that everybody can read: itself, or a copy that belongs to `resources`."""
    status = mount.source.stat()
    # an installation is thousands of files, and everybody can read it
    if mount.source in _installation_folders():
        return mount
    # what a system keeps from its users, as a browser its folder of extensions, no build needs,
    # and a copy is of all the rest, gigabytes
    if mount.source.is_relative_to(_SYSTEM_FOLDER):
        return mount
    if _is_tree_readable(mount.source, status.st_ino, status.st_mtime_ns):
        return mount

    folder = resources.enter_context(
        tempfile.TemporaryDirectory(prefix=make_prefix(_COPY_PURPOSE))
    )
    copy = Path(folder) / "copy"
    if mount.source.is_dir():
        shutil.copytree(mount.source, copy, symlinks=True, ignore=_list_left_out)
    else:
        shutil.copyfile(mount.source, copy)

    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            _make_readable(path)

    return replace(mount, source=copy)


def _make_readable(path: Path) -> None:
    mode = path.stat().st_mode
    is_executable = bool(mode & _OWNER_MAY_EXECUTE)
    if path.is_dir() or is_executable:
        path.chmod(mode | _READABLE_FOLDER)
    else:
        path.chmod(mode | _READABLE_FILE)


@lru_cache(maxsize=256)
def _is_tree_readable(top: Path, _inode: int, _changed: int) -> bool:
    """Return whether everybody can read `top` and all below; its inode and time key the cache."""
    if not _may_everybody_read(top.stat()):
        return False

    for folder, subfolders, names in os.walk(top):
        for name in (*subfolders, *names):
            if not _is_readable(f"{folder}/{name}"):
                return False

    return True


def _is_readable(path: str) -> bool:
    try:
        return _may_everybody_read(os.lstat(path))
    except FileNotFoundError:
        # part of a cache, which another process prunes meanwhile
        return True


def _may_everybody_read(status: os.stat_result) -> bool:
    if stat.S_ISDIR(status.st_mode):
        needed = 0o005
    elif stat.S_ISREG(status.st_mode):
        needed = 0o004
    else:
        return True

    return status.st_mode & needed == needed


def _list_left_out(folder: str, names: list[str]) -> set[str]:
    """Return what a copy leaves out: sockets, pipes and devices, and such copies.

    They lie among temporary files: a copy of these would hold itself, level below level.
    """
    left_out: set[str] = set()
    for name in names:
        mode = os.lstat(f"{folder}/{name}").st_mode
        is_special = not (
            stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)
        )
        if is_special or name.startswith(_COPY_PREFIX):
            left_out.add(name)

    return left_out
