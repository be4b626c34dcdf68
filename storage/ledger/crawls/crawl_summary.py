"""Summary of a crawl, for lists of crawls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSummary:
    """A crawl that somebody asked for, and how much of it is left."""

    id: str
    locators: tuple[str, ...]
    asked_at: float
    """Seconds since 1970, of the first time that it was asked for."""
    state: str
    """`active`, `paused`, `cancelled`, `over-quota`, or `complete` where nothing of it is left."""
    left: int
    """Tasks that have not ended."""
    failed: int
    asked_by: str = ""
    """Who asked for it first; empty where nobody said."""
    hold_reason: str = ""
    """Which quota holds it."""
