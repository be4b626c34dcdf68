"""Command `refresh`: repeat earlier crawls of locators without a version."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli.crawls.crawl_options import WorkersOption
from workers.cli.crawls.crawl_report import report_crawl
from workers.cli.exit_codes import NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import print_note


def refresh(
    context: typer.Context,
    device: Annotated[
        str | None,
        typer.Option(metavar="DEVICE", help="Run what is built, too: `cpu`."),
    ] = None,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> int:
    """Crawl again what was named without a version.

    Owners, branches and folders, as earlier crawls asked for them.

    Only what changed is visited, so it may run every hour: `0 * * * * kernelset refresh`.
    """
    from workers.config.configured_storage import open_configured_storage
    from workers.local.crawl import list_unpinned_requests, run_requests
    from workers.local.progress import open_display

    settings = context_settings(context, devices=device, workers=workers)
    with open_configured_storage(settings) as storage:
        requests = list_unpinned_requests(storage)
        if not requests:
            print_note(
                "nothing was crawled yet that could have changed: "
                "`kernelset crawl` something first"
            )
            return NOTHING

        with open_display() as display:
            session = run_requests(requests, settings, storage, display)
        return report_crawl(storage, session, as_json)
