"""Command `resume`: continue a paused or cancelled crawl."""

from __future__ import annotations

import typer

from workers.cli.crawl_state import CrawlArgument, change_crawl_state
from workers.cli.options import JsonOption


def resume(
    context: typer.Context, crawl: CrawlArgument, as_json: JsonOption = False
) -> int:
    """Let a paused or cancelled crawl go on."""
    return change_crawl_state(
        context,
        crawl,
        lambda ledger: ledger.resume(crawl),
        lambda changed: "goes on" if changed else "neither paused nor cancelled",
        as_json=as_json,
    )
