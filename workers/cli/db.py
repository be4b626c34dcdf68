"""kernelset db upgrade: the database, brought to this version's form."""

from __future__ import annotations

import typer

from workers.cli import DONE
from workers.cli.options import Json, settings_of
from workers.cli.terminal import safe, say, say_json


def upgrade(context: typer.Context, as_json: Json = False) -> int:
    """Bring the database to the form that this version needs; the embedded one does so by itself whenever it opens."""
    from workers.wiring import storage_of

    settings = settings_of(context)
    with storage_of(settings):
        if as_json:
            say_json({"home": str(settings.home), "state": "up to date"})
        else:
            say(safe(f"the database in {settings.home} is up to date"))
    return DONE
