"""Temporary folders named after their process, so that those of killed ones can be removed."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
import zlib
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.sandbox.process_identity import read_pid_namespace, read_start_time

_SECONDS_BETWEEN: Final = 600
_MAX_REMOVED: Final = 100
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
# `kernelset-PURPOSE-MACHINE-PID-START-RANDOM`; all of one length, since a path may reach objects
_NAME: Final = re.compile(
    r"kernelset-[a-z]+-([0-9a-f]{8})-([0-9]{7})-([0-9]{14})-[a-z0-9_]+"
)


def make_prefix(purpose: str) -> str:
    """Return how the name of a temporary folder of this process begins.

    Those that killed processes left behind are removed first, once in a while.
    """
    remove_sometimes(int(time.monotonic()) // _SECONDS_BETWEEN)
    pid = os.getpid()
    start_time = int(read_start_time(str(pid)) or 0)

    return f"kernelset-{purpose}-{_identify_machine()}-{pid:07}-{start_time:014}-"


@lru_cache(maxsize=1)
def remove_sometimes(_period: int) -> int:
    """Remove the folders of dead processes, once in a period; return how many."""
    return remove_dead_folders(Path(tempfile.gettempdir()))


def remove_dead_folders(parent: Path) -> int:
    """Remove up to 100 folders that processes of this user and machine, killed since, have left.

    Those of living processes, of other users and of other containers and machines stay.
    """
    dead_folders = list(islice(_iter_dead_folders(parent), _MAX_REMOVED))
    for folder in dead_folders:
        # another process may be at it, too
        shutil.rmtree(folder, ignore_errors=True)
    return len(dead_folders)


def _iter_dead_folders(parent: Path) -> Iterator[Path]:
    try:
        entries = os.scandir(parent)
    except OSError:
        return

    with entries:
        for entry in entries:
            if _belongs_to_dead(entry.name) and _is_own_folder(entry.path):
                yield Path(entry.path)


def _belongs_to_dead(name: str) -> bool:
    match = _NAME.fullmatch(name)
    if match is None:
        return False

    machine, pid, start_time = match.groups()
    # a pid means another process in another namespace, and after the next boot
    if machine != _identify_machine():
        return False
    current_start_time = read_start_time(str(int(pid)))
    return int(current_start_time or 0) != int(start_time)


def _is_own_folder(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


@cache
def _identify_machine() -> str:
    """Return eight digits for this boot and its process namespace: machines may share a folder."""
    try:
        boot_id = _BOOT_ID.read_bytes()
    except OSError:
        boot_id = b""
    return f"{zlib.crc32(boot_id + read_pid_namespace().encode()):08x}"
