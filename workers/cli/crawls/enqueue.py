"""Command `enqueue`: hand a crawl to the cluster."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli import DONE, FAILED
from workers.cli.crawls.crawl import collect_locators
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from workers.status.crawl_status import StatusWatcher

_LOOK_EVERY: Final = 1.0
_TELL_EVERY: Final = 10.0


def enqueue(
    context: typer.Context,
    locators: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="LOCATOR…",
            help="github:OWNER[/REPO], pypi:NAME[==VERSION], git+URL, a folder.",
        ),
    ] = None,
    listed: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FILE", help="More locators: a file with one a line."
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(min=0, help="Repositories of each locator at most; 0 for all."),
    ] = 0,
    targets: Annotated[
        str | None, typer.Option(help="What to compile for, separated by commas.")
    ] = None,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait", help="Stay until nothing is left that anybody could do."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Record a crawl for the cluster's workers, and warn at once where nobody serves a queue
    that it needs.
    """
    from workers.cluster import crawl_control
    from workers.config.configured_storage import open_configured_storage
    from workers.status.crawl_status import StatusWatcher

    settings = context_settings(context, targets=targets)
    asked = collect_locators(locators, listed)
    if not asked:
        raise typer.BadParameter(
            "nothing to crawl: give a locator, such as github:ROCm, or a file of them by --from"
        )
    with open_configured_storage(settings) as storage:
        crawl = crawl_control.enqueue_crawl(asked, settings, storage, limit=limit)
        missing = crawl_control.unserved_queues(settings, storage)
        for queue in missing:
            print_note(
                escape_line(
                    f"no worker for {queue}: its tasks are blocked until `kernelset worker` serves it"
                )
            )
        state = crawl_control.cluster_crawl_state(settings, storage, crawl)
        if wait:
            state = _waited(
                StatusWatcher(storage, settings, crawl, expects_workers=True)
            )
        failed = (
            any(each.state == "failed" for each in storage.ledger.failures(crawl))
            if wait
            else False
        )
    if as_json:
        print_json({"crawl": crawl, "state": state, "unserved": missing})
    else:
        print_line(f"crawl {crawl}: {state}")
    return FAILED if failed else DONE


def _waited(outlook: StatusWatcher) -> str:
    """Show how the crawl goes on until it has ended, and return how that was."""
    from workers.execution.logs import get_logger
    from workers.local.progress import open_display

    told, before = 0.0, -1
    with open_display() as shown:
        while True:
            look = outlook.read_status()
            shown.show_task_counts(outlook.storage.ledger.task_counts(outlook.crawl))
            if look.state not in ("active", "paused"):
                return look.state
            if (
                look.total.tasks_left != before
                and time.monotonic() - told >= _TELL_EVERY
                and not sys.stderr.isatty()
            ):
                told, before = time.monotonic(), look.total.tasks_left
                get_logger().info(
                    "crawl-goes-on",
                    left=look.total.tasks_left,
                    per_minute=look.total.per_minute,
                    blocked=look.blocked_queues,
                )
            time.sleep(_LOOK_EVERY)
