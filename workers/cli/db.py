"""kernelset db upgrade: the database, brought to this version's form."""

from __future__ import annotations

import typer

from workers.cli import DONE
from workers.cli.options import Json, settings_of
from workers.cli.terminal import safe, say, say_json


def upgrade(context: typer.Context, as_json: Json = False) -> int:
    """Bring the database to the form that this version needs; the embedded one does so by itself whenever it opens."""
    from workers.wiring import upgrade_database

    settings = settings_of(context)
    upgrade_database(settings)
    served = settings.database is not None
    if as_json:
        say_json({"home": str(settings.home), "state": "up to date", "embedded": not served})
    else:
        say("the database server is up to date" if served else safe(f"the database in {settings.home} is up to date"))
    return DONE
