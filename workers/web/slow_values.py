"""Values that take long to count: computed beside requests, and shown as they last were."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as StillComputing
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

Value = TypeVar("Value")
_PATIENCE_SECONDS: Final = 0.05
"""How long a request waits for a value that is not there yet."""
_MIN_AGE_SECONDS: Final = 5.0
_COST_FACTOR: Final = 20
"""A value that took a second to compute is computed anew after twenty."""
_MAX_VALUES: Final = 256
_MAX_RUNNING: Final = 32
"""Values that wait to be computed: what is asked for beyond them is not there yet."""


@dataclass(frozen=True, slots=True)
class SlowValue(Generic[Value]):
    """A value, and when it was computed."""

    value: Value
    computed_at: float
    """Seconds since 1970."""
    fresh_until: float


class SlowValues:
    """Computes one value at a time, so that looking at a page never loads the database much.

    Of those that may take minutes one is computed beside it: how far a crawl is does not wait
    for how much came through.
    """

    def __init__(self, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        self.patience_seconds = patience_seconds
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="count")
        self._long_executor = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="sum"
        )
        self._lock = threading.Lock()
        self._values: dict[str, SlowValue[Any]] = {}
        self._running: dict[str, Future[None]] = {}

    def get(self, key: str, compute: Callable[[], Value]) -> SlowValue[Value] | None:
        """Return the value as it was last computed; `None` while it is first being computed."""
        future = self._refresh(key, compute)
        cached_value = self._values.get(key)
        if cached_value is None and future is not None:
            try:
                # what is quick to count is there at once
                future.result(self.patience_seconds)
            except StillComputing:
                return None
            cached_value = self._values.get(key)
        return cached_value

    def get_together(
        self, makers: Mapping[str, Callable[[], Any]], long: Collection[str] = ()
    ) -> dict[str, SlowValue[Any] | None]:
        """Return values as `get` does, with one wait for all of them; `long` are the keys of
        those that may take minutes.
        """
        futures = [
            self._refresh(key, compute, is_long=key in long)
            for key, compute in makers.items()
        ]
        missing = [
            future
            for key, future in zip(makers, futures, strict=True)
            if future is not None and key not in self._values
        ]
        _, waiting = wait(missing, self.patience_seconds)
        for future in missing:
            if future not in waiting:
                # what it raised is the request's
                future.result()
        return {key: self._values.get(key) for key in makers}

    def _refresh(
        self, key: str, compute: Callable[[], Any], *, is_long: bool = False
    ) -> Future[None] | None:
        with self._lock:
            cached_value = self._values.get(key)
            if cached_value and cached_value.fresh_until > time.monotonic():
                return None
            if key not in self._running:
                if len(self._running) >= _MAX_RUNNING:
                    return None
                executor = self._long_executor if is_long else self._executor
                future = executor.submit(self._compute, key, compute)
                self._running[key] = future
            return self._running[key]

    def _compute(self, key: str, compute: Callable[[], Any]) -> None:
        began = time.monotonic()
        try:
            value = compute()
            ended = time.monotonic()
            age = max(_MIN_AGE_SECONDS, _COST_FACTOR * (ended - began))
            with self._lock:
                self._values.pop(key, None)
                self._values[key] = SlowValue(value, time.time(), ended + age)
                if len(self._values) > _MAX_VALUES:
                    del self._values[next(iter(self._values))]
        finally:
            with self._lock:
                self._running.pop(key, None)

    def forget(self, key: str) -> None:
        """Compute a value anew when it is next asked for, since what it counts has changed."""
        with self._lock:
            self._values.pop(key, None)

    def close(self) -> None:
        """Begin nothing more, and wait for what runs."""
        for executor in (self._executor, self._long_executor):
            executor.shutdown(cancel_futures=True)
