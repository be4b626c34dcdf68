"""kernelset retry: failed tasks, made ready again."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Crawl, Json, settings_of
from workers.cli.terminal import say, say_json


def retry(
    context: typer.Context,
    code: Annotated[str, typer.Option(help="Only tasks that ended with this code, rejected ones included.")] = "",
    crawl: Crawl = "",
    as_json: Json = False,
) -> int:
    """Make failed tasks ready again; `kernelset crawl` of the same locators then does them."""
    from workers.wiring import storage_of

    with storage_of(settings_of(context)) as storage:
        count = storage.ledger.retry(crawl=crawl, code=code)
    if as_json:
        say_json({"retried": count})
    else:
        say(
            f"{count} tasks are ready again: run the same `kernelset crawl` to do them" if count else "nothing to retry"
        )
    return DONE if count else NOTHING
