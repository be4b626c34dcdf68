"""Folders of the host that a run under Landlock may write to, and what they hold meanwhile."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler import process
from crawler.process_limits import Limits
from crawler.sandbox.mounts import Mount
from crawler.sandbox.results import copy_results

_BLOCK_BYTES: Final = 512
_GIVEN_SUFFIX: Final = ".given"
_RUN_SUFFIX: Final = ".run"
_REMOVAL: Final = Limits(seconds=60, file_bytes=0)


class OwnFolder:
    """A folder that stands in for a writable mount while a run lasts.

    The program cannot be shown another folder at its path. So what the host gave is put aside, a
    copy takes its place, and at the end that goes away again, but for the files that were asked
    for.
    """

    def __init__(self, mount: Mount, user_id: int | None) -> None:
        self._mount = mount
        self._path = mount.source
        self._given = self._path.with_name(self._path.name + _GIVEN_SUFFIX)
        self._path.rename(self._given)
        try:
            shutil.copytree(self._given, self._path, symlinks=True)
            if user_id is not None:
                _give_away(self._path, user_id)
        except BaseException:
            self.close(0)
            raise

    def close(self, max_bytes: int) -> None:
        """Put back what the host gave, with the results of the run in it."""
        run = self._path.with_name(self._path.name + _RUN_SUFFIX)
        if self._path.exists():
            self._path.rename(run)
        self._given.rename(self._path)
        if not run.exists():
            return

        folder = os.open(run, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            copy_results(folder, self._mount, max_bytes)
        finally:
            os.close(folder)
            remove_hostile_tree(run)


def remove_hostile_tree(folder: Path) -> None:
    """Remove a folder that a stranger made, however deep it is and whatever its modes are."""
    # Python's own calls itself once for each level, and changes no modes
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder)
        return

    process.run(["chmod", "-R", "u+rwX", "--", str(folder)], limits=_REMOVAL)
    process.run(["rm", "-rf", "--", str(folder)], limits=_REMOVAL)


def _give_away(folder: Path, user_id: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user_id, user_id, follow_symlinks=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskWatch:
    """Adds up what a run has written: there is no file system of a fixed size around it."""

    limits: Limits
    folders: Sequence[Path]

    def find_exceeded_limit(self, processes: Iterable[int]) -> str:
        """Return `scratch` or `inodes` where that limit is exceeded, else an empty text.

        `processes` are those of the run: files that they have open and removed are counted.
        """
        paths: list[str] = []
        # names first: to ask of each takes turns with a program that makes ever more of them
        for path in self._iter_paths():
            paths.append(path)
            if len(paths) > self.limits.inodes:
                return "inodes"

        total_bytes = 0
        for path in paths:
            # the program may remove it meanwhile
            with contextlib.suppress(OSError):
                total_bytes += os.lstat(path).st_blocks * _BLOCK_BYTES

        removed = {
            (file_status.st_dev, file_status.st_ino): file_status
            for file_status in _iter_open(processes)
        }
        for status in removed.values():
            total_bytes += status.st_blocks * _BLOCK_BYTES

        return "scratch" if total_bytes > self.limits.scratch_bytes else ""

    def _iter_paths(self) -> Iterator[str]:
        waiting = [str(folder) for folder in self.folders]
        while waiting:
            with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry.path
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)


def _iter_open(processes: Iterable[int]) -> Iterator[os.stat_result]:
    """Yield the plain files that processes have open and that have no name any more."""
    for pid in processes:
        with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    status = entry.stat()
                    if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                        yield status
