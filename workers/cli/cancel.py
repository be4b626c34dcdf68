"""kernelset cancel: a crawl, ended."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Json, is_known, settings_of
from workers.cli.terminal import safe, say, say_json


def cancel(
    context: typer.Context,
    crawl: Annotated[str, typer.Argument(metavar="CRAWL", help="Its id, as `enqueue` prints it.")],
    as_json: Json = False,
) -> int:
    """End what no other crawl wants of a crawl, running tasks too; `resume` takes it back."""
    from workers.wiring import storage_of

    with storage_of(settings_of(context)) as storage:
        if not is_known(storage, crawl):
            return NOTHING
        count = storage.ledger.cancel(crawl)
    told = f"{count} tasks cancelled"
    if as_json:
        say_json({"crawl": crawl, "changed": count})
    else:
        say(safe(f"crawl {crawl}: {told}"))
    return DONE if count else NOTHING
