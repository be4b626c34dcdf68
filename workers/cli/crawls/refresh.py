"""Command `refresh`: repeat earlier crawls of locators without a version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.crawls.crawl_options import WorkersOption
from workers.cli.crawls.crawl_report import report_crawl
from workers.cli.crawls.enqueue import report_enqueued
from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import print_json, print_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from storage.open import Storage
    from workers.config.settings import Settings
    from workers.tasks.payloads import ListPayload


def refresh(
    context: typer.Context,
    device: Annotated[
        str | None,
        typer.Option(metavar="DEVICE", help="Run what is built, too: `cpu`."),
    ] = None,
    workers: WorkersOption = None,
    queued: Annotated[
        bool,
        typer.Option(
            "--queued",
            help="Let the cluster's workers do it, unless they are still at the last refresh.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Crawl again what was named without a version.

    Owners, branches and folders, as earlier crawls asked for them.

    Only what changed is visited, so it may run every hour: `0 * * * * kernelset refresh`.
    """
    from workers.cluster import crawl_control
    from workers.config.configured_storage import open_configured_storage
    from workers.local.crawl import list_unpinned_requests, run_requests
    from workers.local.progress import open_display

    settings = context_settings(context, devices=device, workers=workers)
    if queued:
        crawl_control.require_broker(settings)
    with open_configured_storage(settings) as storage:
        requests = list_unpinned_requests(storage)
        if not requests:
            print_note(
                "nothing was crawled yet that could have changed: "
                "`kernelset crawl` something first"
            )
            return NOTHING
        if queued:
            return _enqueue_requests(requests, settings, storage, as_json=as_json)

        with open_display() as display:
            session = run_requests(requests, settings, storage, display, verb="refresh")
        return report_crawl(storage, session, as_json)


def _enqueue_requests(
    requests: Sequence[ListPayload],
    settings: Settings,
    storage: Storage,
    *,
    as_json: bool,
) -> int:
    """Record a crawl for the cluster, unless its workers are still at the last one."""
    from workers.cluster.crawl_control import enqueue_requests, find_active_crawl

    locators = {request.locator for request in requests}
    active_crawl = find_active_crawl(locators, settings, storage)
    if not active_crawl:
        crawl = enqueue_requests(requests, settings, storage, verb="refresh")
        return report_enqueued(storage, settings, crawl, wait=False, as_json=as_json)

    print_note(f"nothing was added: workers are still at crawl {active_crawl}")
    if as_json:
        print_json({"crawl": active_crawl, "state": "active", "unserved": []})
    return DONE
