"""Time a case on fresh buffers and cold caches, and verify the outputs of the timed launches.

Each timed launch finds inputs and outputs as the first one did, in memory that the one before
did not touch, with the caches full of something else. Its outputs are kept, so that a launch
that skips the work while it is timed is found.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Any

from .device_buffers import FILL_BYTES, GUARD_BYTES, DeviceBuffers
from .driver import Driver
from .driver_calls import DriverError
from .kernel_launch import LaunchRefused, LoadedModule, pack_arguments
from .manifest import Job, Launch, Timing
from .sensors import read_sensors
from .session import Session, release_buffers, unload_module

_SHORT_MS = 0.02
"""A launch that takes less is measured together with others."""
_MIN_MS = 1e-4
_MAX_SETS = 32
MAX_OUTPUTS = 8
"""Different outputs that are kept, each once."""
_LAST_LEVEL_CACHE_BYTES = {
    "gfx942": 256 << 20,
    "gfx950": 256 << 20,
    "gfx1030": 128 << 20,
    "gfx1031": 96 << 20,
    "gfx1032": 32 << 20,
    "gfx1100": 96 << 20,
    "gfx1101": 64 << 20,
    "gfx1102": 32 << 20,
    "gfx1200": 32 << 20,
    "gfx1201": 64 << 20,
}
"""Bytes of a cache behind the one whose size a driver tells (AMD's Infinity Cache)."""


class EventClock:
    """A pair of events, and the host's clock beside them."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._begin = driver.create_event()
        self._end = driver.create_event()

    def time_work(self, work: Callable[[], None]) -> tuple[float, float]:
        """Return the milliseconds that `work` took by events and by the host."""
        self._driver.synchronise()
        start = time.perf_counter()
        self._driver.record_event(self._begin)
        work()
        self._driver.record_event(self._end)
        event_ms = self._driver.elapsed_milliseconds(self._begin, self._end)
        self._driver.synchronise()

        return event_ms, 1000 * (time.perf_counter() - start)

    def close(self) -> None:
        """Give the events back."""
        self._driver.destroy_event(self._begin)
        self._driver.destroy_event(self._end)


class CaseTimer:
    """One case on a device: sets of its buffers that take turns, and memory to flush caches."""

    def __init__(self, session: Session, launch: Launch, timing: Timing) -> None:
        self._session = session
        self._launch = launch
        self._timing = timing
        self._driver = session.driver
        self._sets: list[DeviceBuffers] = []
        self._values: list[list[Any]] = []
        """Arguments of a launch on each set."""
        self._flush_address = 0
        self._flush_bytes = 0
        self._module = LoadedModule(self._driver, session.image)
        self._clock = EventClock(self._driver)
        self._launch_count = 0
        self.samples: list[tuple[float, float]] = []
        self.outputs: dict[str, dict[str, Any]] = {}
        self.checked_launches = 0
        self.dropped_outputs = 0
        self.batch_size = 1

    def measure(self) -> None:
        """Take samples until there are enough launches, or no time is left."""
        function = self._module.find_kernel(self._launch)
        self._allocate_sets()
        self._values = [pack_arguments(self._launch, buffers) for buffers in self._sets]

        # The first launches load code and raise clocks.
        warm_up_ms = []
        for _ in range(max(1, self._timing.warm_ups)):
            event_ms, _host_ms = self._sample(function, 1)
            warm_up_ms.append(event_ms)

        self.batch_size = self._choose_batch_size(min(warm_up_ms))

        deadline = time.monotonic() + self._timing.seconds
        while len(self.samples) * self.batch_size < self._timing.launches:
            if time.monotonic() >= deadline:
                break

            self.samples.append(self._sample(function, self.batch_size))

    def close(self) -> None:
        """Give everything back."""
        for buffers in self._sets:
            release_buffers(buffers)

        if self._flush_address:
            self._driver.free(self._flush_address)

        unload_module(self._module)
        self._clock.close()

    def _choose_batch_size(self, shortest_ms: float) -> int:
        """Return how many launches are measured together, so that events are exact enough."""
        shortest_ms = max(shortest_ms, _MIN_MS)
        if shortest_ms >= _SHORT_MS:
            return 1

        return max(1, min(len(self._sets), int(_SHORT_MS / shortest_ms) + 1))

    def _allocate_sets(self) -> None:
        """Allocate so many sets of buffers that together they are twice as large as the caches."""
        free_bytes, _ = self._driver.free_and_total_memory()
        cache_bytes = max(
            self._driver.attribute("l2_bytes"),
            _LAST_LEVEL_CACHE_BYTES.get(self._driver.arch(), 0),
        )

        set_bytes = sum(
            buffer.size + 2 * GUARD_BYTES for buffer in self._launch.buffers
        )
        # A kernel may have no buffers at all.
        set_bytes = max(set_bytes, 1)
        sets_in_memory = free_bytes // 4 // set_bytes
        sets_beyond_cache = 1 + 2 * cache_bytes // set_bytes
        set_count = max(2, min(_MAX_SETS, sets_in_memory, sets_beyond_cache))

        for number in range(set_count):
            buffers = DeviceBuffers(
                self._driver,
                self._launch.buffers,
                self._session.read_input,
                FILL_BYTES[number % len(FILL_BYTES)],
            )

            self._sets.append(buffers)
            buffers.upload()

        self._flush_bytes = min(2 * cache_bytes, free_bytes // 4)
        if self._flush_bytes:
            self._flush_address = self._driver.allocate(self._flush_bytes)

    def _sample(self, function: int, count: int) -> tuple[float, float]:
        """Return the time of one launch in a batch of `count`, each on a set of its own."""
        set_numbers = [
            (self._launch_count + position) % len(self._sets)
            for position in range(count)
        ]

        for number in set_numbers:
            self._sets[number].restore()

        # What the launch before asked to be kept would stay, whatever is written elsewhere.
        self._driver.release_cache()
        # A new value each time: writing what is there already may not reach memory.
        self._driver.fill(
            self._flush_address, self._launch_count % 251, self._flush_bytes
        )

        # Nothing but the launches lies between the two events.
        event_ms, host_ms = self._clock.time_work(
            lambda: self._launch_on(function, set_numbers)
        )
        for number in set_numbers:
            self._check_outputs(self._sets[number])

        self._launch_count += count
        return event_ms / count, host_ms / count

    def _launch_on(self, function: int, set_numbers: Sequence[int]) -> None:
        for number in set_numbers:
            self._driver.launch(
                function,
                self._launch.grid,
                self._launch.block,
                self._launch.shared_bytes,
                self._values[number],
            )

    def _check_outputs(self, buffers: DeviceBuffers) -> None:
        """Keep the outputs of a launch, where no launch before left the same."""
        # Each of them, however large: a kernel could count which launches are looked at.
        self.checked_launches += 1
        contents, broken = buffers.read_results()
        digest = hashlib.sha256(b"".join(contents) + bytes(broken)).hexdigest()
        if digest in self.outputs:
            return
        if len(self.outputs) >= MAX_OUTPUTS:
            self.dropped_outputs += 1
            return

        spans = [
            self._session.write_if_changed(content, before)
            for content, before in zip(contents, buffers.initial_contents)
        ]

        self.outputs[digest] = {
            "fill": buffers.fill_byte,
            "broken": broken,
            "late": False,
            "buffers": spans,
        }


def time_case(session: Session, job: Job) -> bool:
    """Time one case; false where the device is lost to this process."""
    launch = _choose_launch(session, job)
    if launch is None or job.timing is None:
        return True

    sensors_before = read_sensors(session.unit.runtime)
    timer = None

    try:
        timer = CaseTimer(session, launch, job.timing)
        timer.measure()
    except LaunchRefused as refusal:
        session.results.write_line(
            "timing", case=launch.name, code=refusal.code, message=str(refusal)
        )
        return True
    except DriverError as error:
        session.results.write_line(
            "timing", case=launch.name, code=error.code, message=str(error)
        )
        return not error.is_device_lost
    finally:
        if timer:
            _close_timer(timer)

    session.results.write_line(
        "timing",
        case=launch.name,
        milliseconds=[event_ms for event_ms, _ in timer.samples],
        host_milliseconds=[host_ms for _, host_ms in timer.samples],
        batch=timer.batch_size,
        checked=timer.checked_launches,
        unkept=timer.dropped_outputs,
        runs=list(timer.outputs.values()),
        sensors=[sensors_before, read_sensors(session.unit.runtime)],
    )

    return True


def _close_timer(timer: CaseTimer) -> None:
    with contextlib.suppress(DriverError):
        timer.close()


def _choose_launch(session: Session, job: Job) -> Launch | None:
    """Return the launch that the job names, or else the one with the largest buffers."""
    launches = session.unit.launches
    for launch in launches:
        if launch.name == job.case:
            return launch

    def buffer_bytes(launch: Launch) -> int:
        return sum(buffer.size for buffer in launch.buffers)

    return max(launches, key=buffer_bytes, default=None)
