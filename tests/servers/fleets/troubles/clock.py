"""A wall clock that jumps: the C library of some processes tells another time.

The kernel has one wall clock for all of a machine, so that one host's cannot be set alone. What
asks the C library for it gets the true time and an offset, which a file holds; clocks that run
from the start of a machine are left as they are, as by `settimeofday`.
"""

from __future__ import annotations

import mmap
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.servers.fleets.host import Host
from tests.servers.fleets.trial import Trouble

if TYPE_CHECKING:
    from tests.servers.fleets.fleet import Fleet

HOUR = 3600
_LIBRARY = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *offset;

__attribute__((constructor)) static void open_offset(void) {
    int file = open(getenv("CLOCK_OFFSET"), O_RDONLY);
    void *page = mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) offset = page;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    if (!failed && is_wall && offset) now->tv_sec += *offset;
    return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec precise;
    int failed = clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return failed;
}

time_t time(time_t *stored) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (stored) *stored = precise.tv_sec;
    return precise.tv_sec;
}
"""


@dataclass(frozen=True)
class WallClock:
    """A clock of some processes, which can be set."""

    folder: Path

    @classmethod
    def build(cls, folder: Path) -> WallClock:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "clock.c").write_text(_LIBRARY)
        built, source = str(folder / "clock.so"), str(folder / "clock.c")
        words = ["-shared", "-fPIC", "-O1", "-o", built, source]
        subprocess.run(["cc", *words], check=True)
        (folder / "offset").write_bytes(bytes(8))
        (folder / "offset").chmod(0o644)
        return cls(folder)

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs in its environment to live by this clock."""
        return {
            "LD_PRELOAD": str(self.folder / "clock.so"),
            "CLOCK_OFFSET": str(self.folder / "offset"),
        }

    def set_offset(self, seconds: int) -> None:
        """Let it be so many seconds ahead of the true time, from now on."""
        with (
            (self.folder / "offset").open("r+b") as file,
            mmap.mmap(file.fileno(), 8) as page,
        ):
            page[:8] = struct.pack("=q", seconds)


class JumpingClock(Trouble):
    """A host's clock is an hour ahead, and later an hour behind."""

    name = "clock an hour ahead"
    end_name = "clock an hour behind"

    @contextmanager
    def open_host(self, fleet: Fleet) -> Iterator[Host]:
        self.clock = WallClock.build(fleet.home.with_name("clock"))
        environment = {**fleet.environment, **self.clock.environment}
        yield Host(fleet.home.with_name("jumping"), environment)

    def begin(self, fleet: Fleet) -> None:
        self.clock.set_offset(HOUR)

    def end(self, fleet: Fleet) -> None:
        self.clock.set_offset(-HOUR)
