"""Time a case on fresh buffers and cold caches, and verify the outputs of the timed launches.

Each timed launch finds inputs and outputs as the first one did, in memory that the one before
did not touch, with the
caches full of something else; what it leaves is looked at, whichever launches those are.
"""

from __future__ import annotations

import hashlib
import time
from typing import Any

from .device_buffers import FILL_BYTES, GUARD_BYTES, DeviceBuffers
from .driver import Driver, DriverError
from .kernel_launch import LaunchRefused, LoadedModule, allocate_arguments
from .manifest import Job, Launch, Timing
from .sensors import read_sensors
from .session import Session, release_buffers, unload_module

_SHORT_MS = 0.02
"""A launch that takes less is measured together with others."""
_MOST_SETS = 32
_KEPT = 8
"""Different outputs that are kept, each once."""
_LAST_LEVEL = {
    **dict.fromkeys(("gfx942", "gfx950"), 256 << 20),
    **{"gfx1030": 128 << 20, "gfx1031": 96 << 20, "gfx1032": 32 << 20},
    **{"gfx1100": 96 << 20, "gfx1101": 64 << 20, "gfx1102": 32 << 20},
    **{"gfx1200": 32 << 20, "gfx1201": 64 << 20},
}
"""Bytes of a cache behind the one that a driver tells of (AMD's Infinity Cache)."""
_LOOK_AT_ALL = 1 << 20
"""Bytes of outputs up to which every launch is looked at; else each tenth."""


class EventClock:
    """Pairs of events, and the host's clock beside them."""

    def __init__(self, driver: Driver) -> None:
        self._driver, self._events = (
            driver,
            (driver.create_event(), driver.create_event()),
        )

    def time_work(self, work: Any) -> tuple[float, float]:
        """Return the milliseconds that `work` took by events and by the host."""
        begin, end = self._events
        self._driver.synchronise()
        began = time.perf_counter()
        self._driver.record_event(begin)
        work()
        self._driver.record_event(end)
        by_events = self._driver.elapsed_milliseconds(begin, end)
        self._driver.synchronise()
        return by_events, 1000 * (time.perf_counter() - began)

    def close(self) -> None:
        """Give the events back."""
        for event in self._events:
            self._driver.destroy_event(event)


class CaseTimer:
    """One case on a device: sets of its buffers that take turns, and what a cache is emptied
    with.
    """

    def __init__(self, session: Session, launch: Launch, timing: Timing) -> None:
        self._session, self._launch, self._timing = session, launch, timing
        self._driver = session.driver
        self._sets: list[DeviceBuffers] = []
        self._flush, self._flush_bytes = 0, 0
        self._loaded = LoadedModule(self._driver, session.image)
        self._clock = EventClock(self._driver)
        self.samples: list[tuple[float, float]] = []
        self.outputs: dict[str, dict[str, Any]] = {}
        self.checked_launches = self.dropped_outputs = 0
        self._round = 0
        self.batch_size = 1

    def measure(self) -> None:
        """Take samples until there are enough launches, or no time is left."""
        function = self._loaded.find_kernel(self._launch)
        self._place()
        values = [allocate_arguments(self._launch, placed) for placed in self._sets]

        def launched(count: int) -> None:
            shape = self._launch.grid, self._launch.block, self._launch.shared_bytes
            for number in range(count):
                self._driver.launch(
                    function, *shape, values[(self._round + number) % len(values)]
                )

        warm = [
            self._sample(launched, 1)[0] for _ in range(max(1, self._timing.warm_ups))
        ]
        shortest = max(min(warm), 1e-4)
        self.batch_size = max(
            1,
            min(
                len(self._sets),
                int(_SHORT_MS / shortest) + 1 if shortest < _SHORT_MS else 1,
            ),
        )
        deadline = time.monotonic() + self._timing.seconds
        while (
            len(self.samples) * self.batch_size < self._timing.launches
            and time.monotonic() < deadline
        ):
            self.samples.append(self._sample(launched, self.batch_size))

    def close(self) -> None:
        """Give everything back."""
        for placed in self._sets:
            release_buffers(placed)
        if self._flush:
            self._driver.free(self._flush)
        unload_module(self._loaded)
        self._clock.close()

    def _place(self) -> None:
        free, _ = self._driver.free_and_total_memory()
        cache = max(
            self._driver.attribute("l2_bytes"), _LAST_LEVEL.get(self._driver.arch(), 0)
        )
        own = sum(each.size + 2 * GUARD_BYTES for each in self._launch.buffers)
        count = max(
            2, min(_MOST_SETS, free // 4 // max(own, 1), 1 + 2 * cache // max(own, 1))
        )
        for number in range(count):
            fill = FILL_BYTES[number % len(FILL_BYTES)]
            placed = DeviceBuffers(
                self._driver, self._launch.buffers, self._session.read_input, fill
            )
            self._sets.append(placed)
            placed.upload()
        self._flush_bytes = min(2 * cache, free // 4)
        self._flush = (
            self._driver.allocate(self._flush_bytes) if self._flush_bytes else 0
        )

    def _sample(self, launched: Any, count: int) -> tuple[float, float]:
        """Return the time of one launch in a batch of `count`, each on a set of its own."""
        turn = [
            self._sets[(self._round + number) % len(self._sets)]
            for number in range(count)
        ]
        for placed in turn:
            placed.restore()
        self._driver.fill(self._flush, self._round % 251, self._flush_bytes)
        by_events, by_host = self._clock.time_work(lambda: launched(count))
        for placed in turn:
            self._look(placed)
        self._round += count
        return by_events / count, by_host / count

    def _look(self, placed: DeviceBuffers) -> None:
        """Keep what a launch left, where nothing like it was left before."""
        size = sum(
            self._launch.buffers[number].size for number in placed.written_buffers()
        )
        if size > _LOOK_AT_ALL and self.checked_launches and self._round % 10:
            return
        self.checked_launches += 1
        left, broken = placed.read_results()
        digest = hashlib.sha256(b"".join(left) + bytes(broken)).hexdigest()
        if digest in self.outputs:
            return
        if len(self.outputs) >= _KEPT:
            self.dropped_outputs += 1
            return
        kept = [
            self._session.write_if_changed(content, before)
            for content, before in zip(left, placed.initial_contents)
        ]
        self.outputs[digest] = {
            "fill": placed.fill_byte,
            "broken": broken,
            "late": False,
            "buffers": kept,
        }


def time_case(session: Session, job: Job) -> bool:
    """Time one case; false where the device is lost to this process."""
    launch = _chosen(session, job)
    if launch is None or job.timing is None:
        return True
    before, stopwatch = read_sensors(session.unit.runtime), None
    try:
        stopwatch = CaseTimer(session, launch, job.timing)
        stopwatch.measure()
    except LaunchRefused as refused:
        session.results.write_line(
            "timing", case=launch.name, code=refused.code, message=str(refused)
        )
        return True
    except DriverError as error:
        session.results.write_line(
            "timing", case=launch.name, code=error.code, message=str(error)
        )
        return not error.is_device_lost
    finally:
        if stopwatch:
            _closed(stopwatch)
    session.results.write_line(
        "timing",
        case=launch.name,
        milliseconds=[by_events for by_events, _ in stopwatch.samples],
        host_milliseconds=[by_host for _, by_host in stopwatch.samples],
        batch=stopwatch.batch_size,
        checked=stopwatch.checked_launches,
        unkept=stopwatch.dropped_outputs,
        runs=list(stopwatch.outputs.values()),
        sensors=[before, read_sensors(session.unit.runtime)],
    )
    return True


def _closed(stopwatch: CaseTimer) -> None:
    try:
        stopwatch.close()
    except DriverError:
        return


def _chosen(session: Session, job: Job) -> Launch | None:
    launches = session.unit.launches
    named = [each for each in launches if each.name == job.case]
    if named:
        return named[0]
    return max(
        launches,
        key=lambda each: sum(buffer.size for buffer in each.buffers),
        default=None,
    )
