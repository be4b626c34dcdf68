"""Command `db upgrade`: migrate the database to this version."""

from __future__ import annotations

import typer

from workers.cli.exit_codes import DONE
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line


def upgrade(context: typer.Context, as_json: JsonOption = False) -> int:
    """Bring the database to the form of this version.

    The embedded one does so by itself whenever it opens.
    """
    from workers.config.configured_storage import upgrade_database

    settings = context_settings(context)
    upgrade_database(settings)

    is_embedded = settings.database is None
    if as_json:
        values = {
            "home": str(settings.home),
            "state": "up to date",
            "embedded": is_embedded,
        }
        print_json(values)
    elif is_embedded:
        print_line(escape_line(f"the database in {settings.home} is up to date"))
    else:
        print_line("the database server is up to date")
    return DONE
