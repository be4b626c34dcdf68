"""kernelset resume: a crawl, going on."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Json, is_known, settings_of
from workers.cli.terminal import safe, say, say_json


def resume(
    context: typer.Context,
    crawl: Annotated[str, typer.Argument(metavar="CRAWL", help="Its id, as `enqueue` prints it.")],
    as_json: Json = False,
) -> int:
    """Let a paused or cancelled crawl go on."""
    from workers.wiring import storage_of

    with storage_of(settings_of(context)) as storage:
        if not is_known(storage, crawl):
            return NOTHING
        changed = storage.ledger.resume(crawl)
    told, count = ("goes on" if changed else "neither paused nor cancelled"), int(changed)
    if as_json:
        say_json({"crawl": crawl, "changed": count})
    else:
        say(safe(f"crawl {crawl}: {told}"))
    return DONE if count else NOTHING
