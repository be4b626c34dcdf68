"""Measure what a task uses: processors, a GPU, and room for what it stores."""

from __future__ import annotations

import resource
import time

from storage.blobs.indexed_blobs import IndexedBlobStore
from storage.ledger.quotas.quota import Use


class UseMeter:
    """Measures from when it is made; a process runs one task at a time."""

    def __init__(self, blobs: IndexedBlobStore, *, holds_gpu: bool) -> None:
        self._blobs = blobs
        self._holds_gpu = holds_gpu
        self._started_at = time.monotonic()
        self._cpu_seconds = _read_cpu_seconds()
        self._stored_bytes = blobs.stored_bytes

    def read(self) -> Use:
        """Return what was used so far, by this process and by what it started and waited for."""
        gpu_seconds = 0.0
        if self._holds_gpu:
            gpu_seconds = time.monotonic() - self._started_at
        return Use(
            stored_bytes=self._blobs.stored_bytes - self._stored_bytes,
            cpu_seconds=_read_cpu_seconds() - self._cpu_seconds,
            gpu_seconds=gpu_seconds,
        )


def _read_cpu_seconds() -> float:
    seconds = 0.0
    for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(whose)
        seconds += usage.ru_utime + usage.ru_stime
    return seconds
