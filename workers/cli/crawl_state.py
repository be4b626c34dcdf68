"""Shared part of the commands that change the state of a crawl."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import context_settings, is_known_crawl
from workers.cli.request_record import record_request
from workers.cli.terminal import escape_line, print_json, print_line

if TYPE_CHECKING:
    from storage.ledger.sql_ledger import SqlLedger

CrawlArgument = Annotated[
    str,
    typer.Argument(metavar="CRAWL", help="Its id, as `enqueue` and `crawls` print it."),
]


def change_crawl_state(
    context: typer.Context,
    crawl: str,
    action: Callable[[SqlLedger], int],
    describe_count: Callable[[int], str],
    *,
    as_json: bool,
) -> int:
    """Change the state of a known crawl, print what that did, and return the exit code.

    `action` returns how many tasks or crawls it changed.
    """
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        if not is_known_crawl(storage, crawl):
            return NOTHING
        record_request(context, settings, storage, crawl=crawl)
        count = int(action(storage.ledger))

    if as_json:
        print_json({"crawl": crawl, "changed": count})
    else:
        print_line(escape_line(f"crawl {crawl}: {describe_count(count)}"))
    return DONE if count else NOTHING
