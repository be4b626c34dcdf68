"""Pipes and files in memory that a run is handed, closed with what else it owns."""

from __future__ import annotations

import os
from contextlib import ExitStack


def open_pipe(resources: ExitStack) -> tuple[int, int]:
    """Return the ends of a pipe: to read from, to write to."""
    ends = os.pipe()
    for end in ends:
        resources.callback(os.close, end)
    return ends


def open_memory_file(content: bytes, resources: ExitStack) -> int:
    """Return a descriptor that `content` is read from, from its beginning."""
    descriptor = os.memfd_create("kernelset")
    resources.callback(os.close, descriptor)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
