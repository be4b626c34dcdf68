"""Command `db upgrade`: migrate the database to this version."""

from __future__ import annotations

import typer

from workers.cli.exit_codes import DONE
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line


def upgrade(context: typer.Context, as_json: JsonOption = False) -> int:
    """Bring the database to the form that this version needs; the embedded one does so by
    itself whenever it opens.
    """
    from workers.config.configured_storage import upgrade_database

    settings = context_settings(context)
    upgrade_database(settings)
    served = settings.database is not None
    if as_json:
        print_json(
            {"home": str(settings.home), "state": "up to date", "embedded": not served}
        )
    else:
        print_line(
            "the database server is up to date"
            if served
            else escape_line(f"the database in {settings.home} is up to date")
        )
    return DONE
