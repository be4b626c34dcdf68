"""Page `/crawls`: all crawls, and what they came to together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from storage.ledger.crawls.crawl_summary import CrawlSummary
from workers.web.answers import JSON_AND_HTML, answer
from workers.web.context import get_context

ROUTER: Final = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlListing:
    """All crawls, those that were asked for last first."""

    crawls: tuple[CrawlSummary, ...]
    is_counted: bool
    """Whether they could be counted at once; else ask again."""
    counted_at: float
    """Seconds since 1970; 0 where they are still being counted."""


@ROUTER.get("/", status_code=303, response_class=RedirectResponse)
def go_home() -> Response:
    """Go to the first page."""
    return RedirectResponse("/crawls", 303)


@ROUTER.get("/crawls", response_model=CrawlListing, responses=JSON_AND_HTML)
def list_crawls(request: Request) -> Response:
    """Show all crawls."""
    context = get_context(request)
    cached_crawls = context.slow_values.get("crawls", context.storage.ledger.crawls)
    listing = CrawlListing(
        crawls=cached_crawls.value if cached_crawls else (),
        is_counted=cached_crawls is not None,
        counted_at=cached_crawls.computed_at if cached_crawls else 0.0,
    )
    return answer(request, "crawls.html", listing)
