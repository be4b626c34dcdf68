"""kernelset refresh: everything that was crawled without a version, crawled again."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli import NOTHING
from workers.cli.options import Json, settings_of
from workers.cli.terminal import note


def refresh(
    context: typer.Context,
    device: Annotated[str | None, typer.Option(metavar="DEVICE", help="Run what is built, too: `cpu`.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes (default one a core).")] = None,
    as_json: Json = False,
) -> int:
    """Crawl again what earlier crawls named without a version, as they were asked: owners, branches, folders.

    Only what changed is visited, so it may run every hour: `0 * * * * kernelset refresh`.
    """
    from workers import crawl as crawls
    from workers.cli.crawl import report
    from workers.progress import display
    from workers.wiring import storage_of

    settings = settings_of(context, devices=device, workers=workers)
    with storage_of(settings) as storage:
        asked = crawls.changeable(storage)
        if not asked:
            note("nothing was crawled yet that could have changed: `kernelset crawl` something first")
            return NOTHING
        with display() as shown:
            session = crawls.again(asked, settings, storage, shown)
        return report(storage, session, as_json)
