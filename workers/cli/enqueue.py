"""kernelset enqueue: a crawl, handed to the cluster."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli import DONE, FAILED
from workers.cli.crawl import locators_of
from workers.cli.options import Json, settings_of
from workers.cli.terminal import note, safe, say, say_json

if TYPE_CHECKING:
    from workers.outlook import Outlook

_LOOK_EVERY: Final = 1.0
_TELL_EVERY: Final = 10.0


def enqueue(
    context: typer.Context,
    locators: Annotated[
        list[str] | None,
        typer.Argument(metavar="LOCATOR…", help="github:OWNER[/REPO], pypi:NAME[==VERSION], git+URL, a folder."),
    ] = None,
    listed: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="More locators: a file with one a line.")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="Repositories of each locator at most; 0 for all.")] = 0,
    targets: Annotated[str | None, typer.Option(help="What to compile for, separated by commas.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Stay until nothing is left that anybody could do.")] = False,
    as_json: Json = False,
) -> int:
    """Record a crawl for the cluster's workers, and warn at once where nobody serves a queue that it needs."""
    from workers import control
    from workers.outlook import Outlook
    from workers.wiring import storage_of

    settings = settings_of(context, targets=targets)
    asked = locators_of(locators, listed)
    if not asked:
        raise typer.BadParameter("nothing to crawl: give a locator, such as github:ROCm, or a file of them by --from")
    with storage_of(settings) as storage:
        crawl = control.enqueue(asked, settings, storage, limit=limit)
        missing = control.unserved(settings, storage)
        for queue in missing:
            note(safe(f"no worker for {queue}: its tasks are blocked until `kernelset worker` serves it"))
        state = control.state(settings, storage, crawl)
        if wait:
            state = _waited(Outlook(storage, settings, crawl, expects_workers=True))
        failed = any(each.state == "failed" for each in storage.ledger.failures(crawl)) if wait else False
    if as_json:
        say_json({"crawl": crawl, "state": state, "unserved": missing})
    else:
        say(f"crawl {crawl}: {state}")
    return FAILED if failed else DONE


def _waited(outlook: Outlook) -> str:
    """Show how the crawl goes on until it has ended, and return how that was."""
    from workers.logs import log
    from workers.progress import display

    told, before = 0.0, -1
    with display() as shown:
        while True:
            look = outlook.look()
            shown.counted(outlook.storage.ledger.counts(outlook.crawl))
            if look.state not in ("active", "paused"):
                return look.state
            if look.whole.left != before and time.monotonic() - told >= _TELL_EVERY and not sys.stderr.isatty():
                told, before = time.monotonic(), look.whole.left
                log().info(
                    "crawl-goes-on", left=look.whole.left, per_minute=look.whole.per_minute, blocked=look.blocked
                )
            time.sleep(_LOOK_EVERY)
