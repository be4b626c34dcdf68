"""What verbs share that change how a crawl stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import is_known, settings_of
from workers.cli.terminal import safe, say, say_json

if TYPE_CHECKING:
    from storage.tasks import SqlLedger

CrawlId = Annotated[str, typer.Argument(metavar="CRAWL", help="Its id, as `enqueue` prints it.")]


def change(
    context: typer.Context,
    crawl: str,
    how: Callable[[SqlLedger], int],
    told: Callable[[int], str],
    *,
    as_json: bool,
) -> int:
    """Change how a known crawl stands, say what that did, and return the exit code; `how` returns how much changed."""
    from workers.wiring import storage_of

    with storage_of(settings_of(context)) as storage:
        if not is_known(storage, crawl):
            return NOTHING
        count = int(how(storage.ledger))
    if as_json:
        say_json({"crawl": crawl, "changed": count})
    else:
        say(safe(f"crawl {crawl}: {told(count)}"))
    return DONE if count else NOTHING
