"""kernelset cancel: a crawl, ended."""

from __future__ import annotations

import typer

from workers.cli.options import Json
from workers.cli.standing import CrawlId, change


def cancel(context: typer.Context, crawl: CrawlId, as_json: Json = False) -> int:
    """End what no other crawl wants of a crawl, running tasks too; `resume` takes it back."""
    return change(
        context,
        crawl,
        lambda ledger: ledger.cancel(crawl),
        lambda count: f"{count} tasks cancelled",
        as_json=as_json,
    )
