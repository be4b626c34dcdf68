"""Memory and termination of a process with all its descendants."""

from __future__ import annotations

import contextlib
import os

import psutil


def kill_process_tree(code: int) -> None:
    """End this process at once, with every process that came of it, in whatever session those
    are.
    """
    for child in _descendants():
        with contextlib.suppress(psutil.Error):
            child.kill()
    os._exit(code)


def resident_bytes() -> int:
    """Return the bytes of memory that this process and all that came of it hold."""
    total = 0
    for each in (psutil.Process(), *_descendants()):
        with contextlib.suppress(psutil.Error):
            total += each.memory_info().rss
    return total


def _descendants() -> list[psutil.Process]:
    try:
        return psutil.Process().children(recursive=True)
    except psutil.Error:
        return []
