"""Command `crawls`: list the crawls that were asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import NOTHING_CRAWLED, JsonOption, context_settings
from workers.cli.terminal import format_table, print_json, print_line, print_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from storage.ledger.crawls.crawl_summary import CrawlSummary


def crawls(context: typer.Context, as_json: JsonOption = False) -> int:
    """Print each crawl that was asked for, the last one first.

    A line has its id, when (UTC), who asked, its state, tasks that are left and that failed,
    and what it names.
    """
    from workers.config.configured_storage import open_configured_storage

    with open_configured_storage(context_settings(context)) as storage:
        summaries = storage.ledger.crawls()

    if as_json:
        for summary in summaries:
            print_json(_crawl_values(summary))
    elif summaries:
        for line in format_table(_iter_rows(summaries)):
            print_line(line)
    else:
        print_note(NOTHING_CRAWLED)

    return DONE if summaries else NOTHING


def _iter_rows(summaries: tuple[CrawlSummary, ...]) -> Iterator[tuple[str, ...]]:
    yield "crawl", "asked", "by", "state", "left", "failed", "locators"
    for summary in summaries:
        asked_at = _to_utc(summary.asked_at).strftime("%Y-%m-%d %H:%M:%S")
        left, failed = str(summary.left), str(summary.failed)
        locators = " ".join(summary.locators)
        asked_by = summary.asked_by or "-"
        yield summary.id, asked_at, asked_by, summary.state, left, failed, locators


def _crawl_values(summary: CrawlSummary) -> dict[str, object]:
    return {
        "crawl": summary.id,
        "asked_at": _to_utc(summary.asked_at).isoformat(),
        "asked_by": summary.asked_by,
        "state": summary.state,
        "held": summary.hold_reason,
        "left": summary.left,
        "failed": summary.failed,
        "locators": summary.locators,
    }


def _to_utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
