"""Command `failures`: list failed and rejected tasks with what to do about them."""

from __future__ import annotations

import typer

from workers.cli import DONE, NOTHING
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


def failures(
    context: typer.Context, crawl: CrawlOption = "", as_json: JsonOption = False
) -> int:
    """Print the tasks that failed or were rejected, oldest first."""
    from crawler.codec import to_builtins
    from workers.config.configured_storage import open_configured_storage

    with open_configured_storage(context_settings(context)) as storage:
        if not is_known_crawl(storage, crawl):
            return NOTHING
        found = storage.ledger.failures(crawl)
    for failure in found:
        if as_json:
            print_json(to_builtins(failure))
        else:
            print_line(
                escape_line(
                    f"{failure.state} {failure.stage} {failure.subject} [{failure.code}] after {failure.attempts}"
                )
            )
            print_line(
                "\n".join(
                    f"    {line}"
                    for line in escape_lines(failure.message.strip()).split("\n")
                )
            )
    if not found and not as_json:
        print_note("nothing failed")
    return DONE
