"""Command `web`: serve the page to watch, browse and judge."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli.exit_codes import DONE
from workers.cli.options import context_settings
from workers.cli.terminal import print_note


def web(
    context: typer.Context,
    host: Annotated[
        str,
        typer.Option(help="Address to listen at; this machine alone when left out."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen at; 0 for a free one.")
    ] = 8471,
) -> int:
    """Serve a page to watch crawls and to judge kernels.

    It goes on until it is stopped. Everything is JSON too. Without a login nothing can be changed.
    """
    from workers.config.configured_storage import open_configured_storage
    from workers.web.server import serve_pages

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        serve_pages(storage, settings, host, port, announce=print_note)
    return DONE
