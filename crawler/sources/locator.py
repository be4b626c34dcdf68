"""Which source a locator belongs to."""

from __future__ import annotations

from crawler.errors import NotFound
from crawler.plugins import plugins
from crawler.sources.interface import Source


def source_for(locator: str) -> Source:
    """Return the source that claims the locator; raises `NotFound` with examples of each where none does."""
    for source in plugins("crawler.sources"):
        if source.claims(locator):
            return source  # type: ignore[no-any-return]
    examples = ", ".join(source.example for source in plugins("crawler.sources"))
    raise NotFound(f"no source knows `{locator}`: write it like one of {examples}", code="unknown-locator")
