"""What the watchdog adds up, over real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.process_limits import Limits
from crawler.sandbox.limits.watchdog import (
    ProcessWatchdog,
    WritableFolders,
    iter_descendants,
    measure_resident_bytes,
)

FAMILY = """
import os, sys, time
hoard = bytearray(32 << 20)
if os.fork() == 0:
    more = bytearray(32 << 20)
    print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def family() -> Iterator[int]:
    """A process and its child, with 32 MiB of its own in each, and 32 MiB that they share until
    one writes.
    """
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, start_new_session=True
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"ready\n"
        yield first.pid
        os.killpg(first.pid, 9)


def watch(pid: int, **bounds: int) -> str:
    made = ProcessWatchdog(
        limits=Limits(**{"processes": 10, "resident_bytes": 1 << 30, **bounds})
    )
    made.attach(pid)
    return made.find_exceeded_limit()


def test_children_of_children_are_counted(family: int) -> None:
    assert len(list(iter_descendants(family, limit=10))) == 1
    assert family in set(iter_descendants(os.getpid(), limit=1000))


def test_the_memory_of_all_is_one_sum(family: int) -> None:
    pair = [family, *iter_descendants(family, limit=10)]
    assert 64 << 20 < measure_resident_bytes(pair) < 256 << 20
    assert measure_resident_bytes(pair) > measure_resident_bytes(pair[:1])


def test_each_bound_has_its_word(family: int) -> None:
    assert watch(family) == ""
    assert watch(family, resident_bytes=16 << 20) == "memory"


def test_a_process_that_is_gone_has_nothing() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    time.sleep(0.01)
    assert list(iter_descendants(ended.pid, limit=10)) == []
    assert measure_resident_bytes([ended.pid]) == 0


def test_files_in_writable_folders_are_counted(tmp_path: Path) -> None:
    # a process that we may look into stands for the first one inside
    usage = WritableFolders(limits=Limits(inodes=1 << 40), folders=(str(tmp_path),))
    exceeded, used_bytes = usage.check_usage(os.getpid())
    assert exceeded == ""
    assert used_bytes >= 0
    usage.limits = Limits(inodes=-1)
    assert usage.check_usage(os.getpid())[0] == "inodes"


def test_folders_of_a_process_that_is_gone_hold_nothing() -> None:
    usage = WritableFolders(limits=Limits(), folders=("/tmp",))
    assert usage.check_usage(2**22 + 1) == ("", 0)


def test_too_many_processes_are_one_limit(family: int) -> None:
    assert watch(family, processes=-2) == "processes"
