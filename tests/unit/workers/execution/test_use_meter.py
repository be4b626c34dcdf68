"""What a task uses is measured, with what it started."""

from __future__ import annotations

import subprocess
import sys
import time

from storage.open import Storage
from workers.execution.use_meter import UseMeter

BURN = "import time\nwhile time.process_time() < 0.3: pass"


def test_processors_count_with_those_of_what_was_started(storage: Storage) -> None:
    meter = UseMeter(storage.blobs, holds_gpu=False)
    before = meter.read().cpu_seconds
    subprocess.run([sys.executable, "-c", BURN], check=True)
    assert meter.read().cpu_seconds >= before + 0.25
    assert meter.read().gpu_seconds == 0.0


def test_only_what_was_not_there_before_counts_as_stored(storage: Storage) -> None:
    known, fresh = b"known" * 100, b"fresh" * 20_000
    storage.blobs.put(known)
    meter = UseMeter(storage.blobs, holds_gpu=False)
    storage.blobs.put_many((known, fresh, fresh))
    storage.blobs.put(known)
    assert meter.read().stored_bytes == len(fresh)


def test_a_gpu_counts_for_as_long_as_it_is_held(storage: Storage) -> None:
    meter = UseMeter(storage.blobs, holds_gpu=True)
    started = time.monotonic()
    time.sleep(0.05)
    used = meter.read().gpu_seconds
    assert 0.05 <= used <= time.monotonic() - started + 0.05
