"""kernelset pause: a crawl, held back."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Json, is_known, settings_of
from workers.cli.terminal import safe, say, say_json


def pause(
    context: typer.Context,
    crawl: Annotated[str, typer.Argument(metavar="CRAWL", help="Its id, as `enqueue` prints it.")],
    as_json: Json = False,
) -> int:
    """Let no more tasks of a crawl be started; what runs goes on."""
    from workers.wiring import storage_of

    with storage_of(settings_of(context)) as storage:
        if not is_known(storage, crawl):
            return NOTHING
        changed = storage.ledger.pause(crawl)
    told, count = ("paused" if changed else "not active"), int(changed)
    if as_json:
        say_json({"crawl": crawl, "changed": count})
    else:
        say(safe(f"crawl {crawl}: {told}"))
    return DONE if count else NOTHING
