"""kernelset resume: a crawl, going on."""

from __future__ import annotations

import typer

from workers.cli.options import Json
from workers.cli.standing import CrawlId, change


def resume(context: typer.Context, crawl: CrawlId, as_json: Json = False) -> int:
    """Let a paused or cancelled crawl go on."""
    return change(
        context,
        crawl,
        lambda ledger: ledger.resume(crawl),
        lambda changed: "goes on" if changed else "neither paused nor cancelled",
        as_json=as_json,
    )
