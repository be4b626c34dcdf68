"""What is counted of an address is forgotten, however many addresses there are."""

from __future__ import annotations

import time

import pytest
from limits import parse
from starlette.exceptions import HTTPException

from workers.web.access.rate_limits import RateLimits


def test_addresses_are_forgotten_after_their_window() -> None:
    limit, limits = parse("1/second"), RateLimits()
    for number in range(500):
        limits.count(limit, "login", str(number))
    with pytest.raises(HTTPException) as raised:
        limits.count(limit, "login", "499")
    assert raised.value.status_code == 429
    time.sleep(1.1)
    limits.count(limit, "login", "499")
    deadline = time.monotonic() + 30
    while count_known(limits) > 1 and time.monotonic() < deadline:
        time.sleep(0.05)
        limits.count(parse("1000/second"), "login", "499")
    assert count_known(limits) <= 2


def count_known(limits: RateLimits) -> int:
    memory = limits._limiter.storage
    return len({*memory.storage, *memory.events})  # type: ignore[attr-defined]
