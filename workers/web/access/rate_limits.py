"""Rate limits: how often one address may try a token, and ask for anything."""

from __future__ import annotations

from typing import Final

from fastapi import Request
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.exceptions import HTTPException

_LOGINS: Final = parse("10/minute")
_CHANGES: Final = parse("120/minute")


class RateLimits:
    """Counts of one server: several count apart, so that each allows as much."""

    def __init__(self) -> None:
        # what it counts of an address is forgotten after a window, however many ask
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def count(self, limit: RateLimitItem, kind: str, key: str) -> None:
        """Count an attempt; raises 429 for one too many."""
        if not self._limiter.hit(limit, kind, key):
            raise HTTPException(
                429,
                f"Too many requests: wait a minute ({limit}).",
                {"Retry-After": str(limit.get_expiry())},
            )


def limit_logins(request: Request) -> None:
    """Count an attempt to log in."""
    _count(request, _LOGINS, "login")


def limit_changes(request: Request) -> None:
    """Count an attempt to change anything."""
    _count(request, _CHANGES, "change")


def _count(request: Request, limit: RateLimitItem, kind: str) -> None:
    limits = request.app.state.rate_limits
    assert isinstance(limits, RateLimits), "`create_app` puts it there"
    host = request.client.host if request.client else ""
    limits.count(limit, kind, host)
