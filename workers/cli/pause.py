"""kernelset pause: a crawl, held back."""

from __future__ import annotations

import typer

from workers.cli.options import Json
from workers.cli.standing import CrawlId, change


def pause(context: typer.Context, crawl: CrawlId, as_json: Json = False) -> int:
    """Let no more tasks of a crawl be started; what runs goes on."""
    return change(
        context,
        crawl,
        lambda ledger: ledger.pause(crawl),
        lambda changed: "paused" if changed else "not active",
        as_json=as_json,
    )
