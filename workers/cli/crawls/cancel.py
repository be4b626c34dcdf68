"""Command `cancel`: end a crawl."""

from __future__ import annotations

import typer

from workers.cli.crawl_state import CrawlArgument, change_crawl_state
from workers.cli.options import JsonOption


def cancel(
    context: typer.Context, crawl: CrawlArgument, as_json: JsonOption = False
) -> int:
    """End what no other crawl wants of a crawl.

    Running tasks, too; `resume` takes it back.
    """
    return change_crawl_state(
        context,
        crawl,
        lambda ledger: ledger.cancel(crawl),
        lambda count: f"{count} tasks cancelled",
        as_json=as_json,
    )
