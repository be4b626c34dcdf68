"""Command `failures`: list failed and rejected tasks with what to do about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import (
    CrawlOption,
    JsonOption,
    context_settings,
    is_known_crawl,
)
from workers.cli.terminal import (
    escape_line,
    escape_lines,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from storage.ledger.interface import Failure


def failures(
    context: typer.Context, crawl: CrawlOption = "", as_json: JsonOption = False
) -> int:
    """Print the tasks that failed or were rejected, oldest first."""
    from workers.config.configured_storage import open_configured_storage

    with open_configured_storage(context_settings(context)) as storage:
        if not is_known_crawl(storage, crawl):
            return NOTHING
        failed_tasks = storage.ledger.failures(crawl)

    for failure in failed_tasks:
        _print_failure(failure, as_json)
    if not failed_tasks and not as_json:
        print_note("nothing failed")
    return DONE


def _print_failure(failure: Failure, as_json: bool) -> None:
    from crawler.codec import to_builtins

    if as_json:
        print_json(to_builtins(failure))
        return

    task = f"{failure.state} {failure.stage} {failure.subject}"
    print_line(escape_line(f"{task} [{failure.code}] after {failure.attempts}"))
    message_lines = escape_lines(failure.message.strip()).split("\n")
    print_line("\n".join(f"    {line}" for line in message_lines))
