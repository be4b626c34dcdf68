"""Command `audit`: who asked for what, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import CrawlOption, JsonOption, context_settings
from workers.cli.terminal import format_table, print_json, print_line, print_note

if TYPE_CHECKING:
    from storage.access.sql_request_book import AskedRequest


def audit(
    context: typer.Context,
    crawl: CrawlOption = "",
    by: Annotated[
        str, typer.Option(metavar="NAME", help="Only what this one asked for.")
    ] = "",
    verb: Annotated[
        str, typer.Option(help="Only this verb, such as `crawl` or `storage gc`.")
    ] = "",
    limit: Annotated[
        int, typer.Option(min=0, help="The last ones, so many; 0 for all.")
    ] = 0,
    as_json: JsonOption = False,
) -> int:
    """Print who asked for what.

    Of all that changes something, the last first. A line has when (UTC), who, the verb, the
    crawl, and what it was asked of.
    """
    from workers.config.configured_storage import open_configured_storage

    with open_configured_storage(context_settings(context)) as storage:
        requests = storage.requests.requests(
            crawl=crawl, asked_by=by, verb=verb, limit=limit
        )

    if as_json:
        for request in requests:
            print_json(_request_values(request))
    elif requests:
        rows = [("asked", "by", "verb", "crawl", "of")]
        rows += [_request_row(request) for request in requests]
        for line in format_table(rows):
            print_line(line)
    else:
        print_note("nothing of that was asked for yet")
    return DONE if requests else NOTHING


def _request_row(request: AskedRequest) -> tuple[str, str, str, str, str]:
    asked_at = _to_utc(request.asked_at).strftime("%Y-%m-%d %H:%M:%S")
    crawl = request.crawl or "-"
    return asked_at, request.asked_by, request.verb, crawl, request.subject


def _request_values(request: AskedRequest) -> dict[str, object]:
    return {
        "asked_at": _to_utc(request.asked_at).isoformat(),
        "asked_by": request.asked_by,
        "verb": request.verb,
        "crawl": request.crawl,
        "subject": request.subject,
    }


def _to_utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
