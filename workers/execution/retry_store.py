"""Retry a store operation while the store is unavailable."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

from storage.errors import StoreLocked, StoreUnavailable

Result = TypeVar("Result")
_LONGEST: Final = 5.0


def retry_while_unavailable(
    operation: Callable[[], Result], *, seconds: float = 120.0
) -> Result:
    """Return what `operation` returns, asked again while the store is away, for `seconds` at
    most; then raises as it does.
    """
    deadline, pause = time.monotonic() + seconds, 0.1
    while True:
        try:
            return operation()
        except (StoreUnavailable, StoreLocked):
            if time.monotonic() + pause > deadline:
                raise
        # spread, so that many workers do not come back at once
        time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311
        pause = min(pause * 2, _LONGEST)
