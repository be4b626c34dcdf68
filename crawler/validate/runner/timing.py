"""How long a case takes, measured so that nothing but its own work can make it short.

Each timed launch finds inputs and outputs as the first one did, in memory that the one before did not touch, with the
caches full of something else; what it leaves is looked at, whichever launches those are.
"""

from __future__ import annotations

import hashlib
import time
from typing import Any

from .driver import Driver, DriverError
from .launching import Loaded, Refused, arguments
from .manifest import Job, Launch, Timing
from .memory import FILLS, GUARD, Placed
from .sensors import sensed
from .session import Session, close, release

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


class Clock:
    """Pairs of events, and the host's clock beside them."""

    def __init__(self, driver: Driver) -> None:
        self._driver, self._events = driver, (driver.event(), driver.event())

    def around(self, work: Any) -> tuple[float, float]:
        """Return the milliseconds that `work` took by events and by the host."""
        begin, end = self._events
        self._driver.wait()
        began = time.perf_counter()
        self._driver.record(begin)
        work()
        self._driver.record(end)
        by_events = self._driver.milliseconds(begin, end)
        self._driver.wait()
        return by_events, 1000 * (time.perf_counter() - began)

    def close(self) -> None:
        """Give the events back."""
        for event in self._events:
            self._driver.drop(event)


class Stopwatch:
    """One case on a device: sets of its buffers that take turns, and what a cache is emptied with."""

    def __init__(self, session: Session, launch: Launch, timing: Timing) -> None:
        self._session, self._launch, self._timing = session, launch, timing
        self._driver = session.driver
        self._sets: list[Placed] = []
        self._flush, self._flush_bytes = 0, 0
        self._loaded = Loaded(self._driver, session.image)
        self._clock = Clock(self._driver)
        self.samples: list[tuple[float, float]] = []
        self.outputs: dict[str, dict[str, Any]] = {}
        self.checked = self.unkept = 0
        self._round = 0
        self.batch = 1

    def measure(self) -> None:
        """Take samples until there are enough launches, or no time is left."""
        function = self._loaded.kernel(self._launch)
        self._place()
        values = [arguments(self._launch, placed) for placed in self._sets]

        def launched(count: int) -> None:
            shape = self._launch.grid, self._launch.block, self._launch.shared_bytes
            for number in range(count):
                self._driver.launch(function, *shape, values[(self._round + number) % len(values)])

        warm = [self._sample(launched, 1)[0] for _ in range(max(1, self._timing.warm_ups))]
        shortest = max(min(warm), 1e-4)
        self.batch = max(1, min(len(self._sets), int(_SHORT_MS / shortest) + 1 if shortest < _SHORT_MS else 1))
        deadline = time.monotonic() + self._timing.seconds
        while len(self.samples) * self.batch < self._timing.launches and time.monotonic() < deadline:
            self.samples.append(self._sample(launched, self.batch))

    def close(self) -> None:
        """Give everything back."""
        for placed in self._sets:
            release(placed)
        if self._flush:
            self._driver.free(self._flush)
        close(self._loaded)
        self._clock.close()

    def _place(self) -> None:
        free, _ = self._driver.memory()
        cache = max(self._driver.attribute("l2_bytes"), _LAST_LEVEL.get(self._driver.arch(), 0))
        own = sum(each.size + 2 * GUARD for each in self._launch.buffers)
        count = max(2, min(_MOST_SETS, free // 4 // max(own, 1), 1 + 2 * cache // max(own, 1)))
        for number in range(count):
            fill = FILLS[number % len(FILLS)]
            placed = Placed(self._driver, self._launch.buffers, self._session.content, fill)
            self._sets.append(placed)
            placed.upload()
        self._flush_bytes = min(2 * cache, free // 4)
        self._flush = self._driver.allocate(self._flush_bytes) if self._flush_bytes else 0

    def _sample(self, launched: Any, count: int) -> tuple[float, float]:
        """Return the time of one launch in a batch of `count`, each on a set of its own."""
        turn = [self._sets[(self._round + number) % len(self._sets)] for number in range(count)]
        for placed in turn:
            placed.restore()
        self._driver.fill(self._flush, self._round % 251, self._flush_bytes)
        by_events, by_host = self._clock.around(lambda: launched(count))
        for placed in turn:
            self._look(placed)
        self._round += count
        return by_events / count, by_host / count

    def _look(self, placed: Placed) -> None:
        """Keep what a launch left, where nothing like it was left before."""
        size = sum(self._launch.buffers[number].size for number in placed.written())
        if size > _LOOK_AT_ALL and self.checked and self._round % 10:
            return
        self.checked += 1
        left, broken = placed.after()
        digest = hashlib.sha256(b"".join(left) + bytes(broken)).hexdigest()
        if digest in self.outputs:
            return
        if len(self.outputs) >= _KEPT:
            self.unkept += 1
            return
        kept = [self._session.kept(content, before) for content, before in zip(left, placed.before)]
        self.outputs[digest] = {"fill": placed.fill, "broken": broken, "late": False, "buffers": kept}


def timed(session: Session, job: Job) -> bool:
    """Time one case; false where the device is lost to this process."""
    launch = _chosen(session, job)
    if launch is None or job.timing is None:
        return True
    before, stopwatch = sensed(session.unit.runtime), None
    try:
        stopwatch = Stopwatch(session, launch, job.timing)
        stopwatch.measure()
    except Refused as refused:
        session.results.tell("timing", case=launch.name, code=refused.code, message=str(refused))
        return True
    except DriverError as error:
        session.results.tell("timing", case=launch.name, code=error.code, message=str(error))
        return not error.is_final
    finally:
        if stopwatch:
            _closed(stopwatch)
    session.results.tell(
        "timing",
        case=launch.name,
        milliseconds=[by_events for by_events, _ in stopwatch.samples],
        host_milliseconds=[by_host for _, by_host in stopwatch.samples],
        batch=stopwatch.batch,
        checked=stopwatch.checked,
        unkept=stopwatch.unkept,
        runs=list(stopwatch.outputs.values()),
        sensors=[before, sensed(session.unit.runtime)],
    )
    return True


def _closed(stopwatch: Stopwatch) -> None:
    try:
        stopwatch.close()
    except DriverError:
        return


def _chosen(session: Session, job: Job) -> Launch | None:
    launches = session.unit.launches
    named = [each for each in launches if each.name == job.case]
    if named:
        return named[0]
    return max(launches, key=lambda each: sum(buffer.size for buffer in each.buffers), default=None)
