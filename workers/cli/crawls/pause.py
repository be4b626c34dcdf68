"""Command `pause`: start no more tasks of a crawl."""

from __future__ import annotations

import typer

from workers.cli.crawl_state import CrawlArgument, change_crawl_state
from workers.cli.options import JsonOption


def pause(
    context: typer.Context, crawl: CrawlArgument, as_json: JsonOption = False
) -> int:
    """Let no more tasks of a crawl be started; what runs goes on."""
    return change_crawl_state(
        context,
        crawl,
        lambda ledger: ledger.pause(crawl),
        lambda changed: "paused" if changed else "not active",
        as_json=as_json,
    )
