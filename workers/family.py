"""A process together with all that it started."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Final

import psutil

OVERSIZE: Final = 76
"""Exit code of a worker whose task took more memory than it may."""
_LOOK_EVERY: Final = 0.5


def end(code: int) -> None:
    """End this process at once, with every process that came of it, in whatever session those are."""
    for child in _descendants():
        with contextlib.suppress(psutil.Error):
            child.kill()
    os._exit(code)


def resident() -> int:
    """Return the bytes of memory that this process and all that came of it hold."""
    total = 0
    for each in (psutil.Process(), *_descendants()):
        with contextlib.suppress(psutil.Error):
            total += each.memory_info().rss
    return total


@contextlib.contextmanager
def bounded(limit: int) -> Iterator[None]:
    """End the family if it holds more than `limit` bytes before the block ends; zero means no bound."""
    if not limit:
        yield
        return
    ended = threading.Event()
    watch = threading.Thread(target=_watch, args=(limit, ended), daemon=True)
    watch.start()
    try:
        yield
    finally:
        ended.set()
        watch.join()


def _watch(limit: int, ended: threading.Event) -> None:
    while not ended.wait(_LOOK_EVERY):
        if resident() > limit:
            end(OVERSIZE)


def _descendants() -> list[psutil.Process]:
    try:
        return psutil.Process().children(recursive=True)
    except psutil.Error:
        return []
