"""Command `views`: what a row of each view is."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli.exit_codes import DONE
from workers.cli.options import JsonOption
from workers.cli.terminal import escape_line, print_json, print_line

NameArgument = Annotated[
    str,
    typer.Argument(metavar="[VIEW]", help="Print the JSON Schema of its rows."),
]


def views(name: NameArgument = "", as_json: JsonOption = False) -> int:
    """List the views of a dataset, or print the schema of one.

    The JSON Schema says of each field what it means.
    """
    from crawler.dataset.choice import choose_view, list_views
    from crawler.dataset.rows.json_schema import build_json_schema

    if name:
        view = choose_view(name)
        print_json(build_json_schema(view.row_type, view.schema_name))
        return DONE

    for view in list_views():
        if as_json:
            print_json(
                {
                    "name": view.name,
                    "schema": view.schema_name,
                    "summary": view.summary,
                }
            )
        else:
            print_line(escape_line(f"{view.name:16}{view.summary}"))
    return DONE
