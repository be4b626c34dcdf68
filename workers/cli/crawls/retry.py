"""Command `retry`: make failed tasks ready again."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import CrawlOption, JsonOption, context_settings
from workers.cli.request_record import record_request
from workers.cli.terminal import print_json, print_line


def retry(
    context: typer.Context,
    code: Annotated[
        str,
        typer.Option(
            help="Only tasks that ended with this code, rejected ones included."
        ),
    ] = "",
    crawl: CrawlOption = "",
    as_json: JsonOption = False,
) -> int:
    """Make failed tasks ready again.

    `kernelset crawl` of the same locators then does them.
    """
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        record_request(context, settings, storage, subject=code, crawl=crawl)
        count = storage.ledger.retry(crawl=crawl, code=code)

    if as_json:
        print_json({"retried": count})
    elif count:
        print_line(
            f"{count} tasks are ready again: run the same `kernelset crawl` to do them"
        )
    else:
        print_line("nothing to retry")
    return DONE if count else NOTHING
