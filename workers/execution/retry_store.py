"""Retry a store operation while the store is unavailable."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, TypeVar

from storage.errors import StoreLocked, StoreUnavailable

Result = TypeVar("Result")
_LONGEST_PAUSE: Final = 5.0


def retry_while_unavailable(
    operation: Callable[[], Result], *, seconds: float = 120.0
) -> Result:
    """Return what `operation` returns, tried again for `seconds` while the store is away.

    Raises what `operation` raises at last.
    """
    deadline = time.monotonic() + seconds
    pause = 0.1
    while True:
        try:
            return operation()
        except (StoreUnavailable, StoreLocked):
            if time.monotonic() + pause > deadline:
                raise
        # spread, so that many workers do not come back at once
        spread = random.uniform(0.5, 1.0)  # noqa: S311
        time.sleep(pause * spread)
        pause = min(pause * 2, _LONGEST_PAUSE)
