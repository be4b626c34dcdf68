"""Memory and termination of a process with all its descendants."""

from __future__ import annotations

import contextlib
import os

import psutil


def kill_process_tree(code: int) -> None:
    """End this process at once with all its descendants, in whatever session those are."""
    for child in _list_descendants():
        with contextlib.suppress(psutil.Error):
            child.kill()
    os._exit(code)


def resident_bytes() -> int:
    """Return the bytes of memory that this process and all that came of it hold."""
    total = 0
    for process in (psutil.Process(), *_list_descendants()):
        with contextlib.suppress(psutil.Error):
            total += process.memory_info().rss
    return total


def _list_descendants() -> list[psutil.Process]:
    try:
        return psutil.Process().children(recursive=True)
    except psutil.Error:
        return []
