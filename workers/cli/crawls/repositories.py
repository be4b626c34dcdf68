"""Command `repositories`: list the repositories found in the listings of owners."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line

REPOSITORY_STATES = ("wanted", "passed-over", "vanished")


def repositories(
    context: typer.Context,
    owner: Annotated[
        str, typer.Argument(metavar="[OWNER]", help="Whose; everybody's when left out.")
    ] = "",
    state: Annotated[
        str, typer.Option(help="Only wanted, passed-over or vanished ones.")
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Print each repository that an owner's listing showed, and what became of it there."""
    from crawler.codec import to_builtins
    from crawler.errors import Misconfigured
    from workers.config.configured_storage import open_configured_storage

    if state and state not in REPOSITORY_STATES:
        raise Misconfigured(
            f"no state is called {escape_line(state)}: give one of {', '.join(REPOSITORY_STATES)}",
            code="bad-state",
        )
    with open_configured_storage(context_settings(context)) as storage:
        found = storage.source_memory.listed_repositories(owner, state)
    for each in found:
        if as_json:
            print_json(to_builtins(each))
        else:
            why = f" ({each.reason})" if each.reason else ""
            print_line(
                escape_line(
                    f"{each.repo.source}:{each.repo.owner}/{each.repo.name}  {each.state}{why}  {each.repo.pushed_at}"
                )
            )
    return DONE if found else NOTHING
