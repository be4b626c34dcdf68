"""A run in gVisor is bounded inside by gVisor, and outside as a whole."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
from collections.abc import Iterator

import pytest

from crawler.process_limits import Limits
from crawler.sandbox.gvisor.limits import (
    OWN_BYTES,
    SentryWatchdog,
    begin_with_processor_time,
    choose_outer_limits,
    create_limiter,
    describe_inner_limits,
)
from crawler.sandbox.limits import cgroups

LIMITS = Limits(
    seconds=7,
    memory_bytes=1 << 30,
    file_bytes=2 << 20,
    open_files=64,
    cpu_seconds=3,
    processes=5,
    resident_bytes=64 << 20,
)


def test_each_process_inside_has_every_limit() -> None:
    described = {each["type"]: each["hard"] for each in describe_inner_limits(LIMITS)}
    assert described == {
        "RLIMIT_AS": 1 << 30,
        "RLIMIT_FSIZE": 2 << 20,
        "RLIMIT_NOFILE": 64,
        "RLIMIT_NPROC": 5,
        "RLIMIT_CORE": 0,
    }
    command = begin_with_processor_time(LIMITS, ("program",))
    assert command == ("prlimit", "--cpu=3", "--", "program")


def test_without_a_bound_none_is_said() -> None:
    assert begin_with_processor_time(Limits(), ("program",)) == ("program",)
    types = {each["type"] for each in describe_inner_limits(Limits())}
    assert types == {"RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE"}


def test_its_own_processes_have_the_time_alone() -> None:
    assert choose_outer_limits(LIMITS) == Limits(
        seconds=7, file_bytes=0, open_files=0, resident_bytes=64 << 20
    )


@pytest.fixture
def sentry() -> Iterator[int]:
    """A process with a file in memory as gVisor's kernel has it, of 256 MiB."""
    ready, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        descriptor = os.memfd_create("runsc-memory")
        os.write(descriptor, bytes(256 << 20))
        with mmap.mmap(descriptor, mmap.PAGESIZE):
            os.write(told, b"1")
            signal.pause()
    os.read(ready, 1)
    yield pid
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(ready)
    os.close(told)


def test_memory_that_no_process_maps_is_counted(sentry: int) -> None:
    small = SentryWatchdog(limits=Limits(processes=9, resident_bytes=128 << 20))
    large = SentryWatchdog(limits=Limits(processes=9, resident_bytes=1 << 30))
    for watchdog in (small, large):
        watchdog.attach(sentry)
    assert small.find_exceeded_limit() == "memory"
    assert large.find_exceeded_limit() == ""


def test_where_no_group_can_be_made_it_is_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cgroups, "find_cgroup_parent", lambda: None)
    limiter = create_limiter(LIMITS, 100).limiter
    assert isinstance(limiter, SentryWatchdog)
    assert limiter.limits.resident_bytes == LIMITS.resident_bytes + OWN_BYTES
    assert limiter.limits.processes > 200
