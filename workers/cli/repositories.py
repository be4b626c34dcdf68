"""kernelset repositories: what the listings of owners showed."""

from __future__ import annotations

from typing import Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Json, settings_of
from workers.cli.terminal import safe, say, say_json

STATES = ("wanted", "passed-over", "vanished")


def repositories(
    context: typer.Context,
    owner: Annotated[str, typer.Argument(metavar="[OWNER]", help="Whose; everybody's when left out.")] = "",
    state: Annotated[str, typer.Option(help="Only wanted, passed-over or vanished ones.")] = "",
    as_json: Json = False,
) -> int:
    """Print each repository that an owner's listing showed, and what became of it there."""
    from crawler.codec import plain
    from crawler.errors import Misconfigured
    from workers.wiring import storage_of

    if state and state not in STATES:
        raise Misconfigured(f"no state is called {safe(state)}: give one of {', '.join(STATES)}", code="bad-state")
    with storage_of(settings_of(context)) as storage:
        found = storage.visits.repositories(owner, state)
    for each in found:
        if as_json:
            say_json(plain(each))
        else:
            why = f" ({each.reason})" if each.reason else ""
            say(
                safe(f"{each.repo.source}:{each.repo.owner}/{each.repo.name}  {each.state}{why}  {each.repo.pushed_at}")
            )
    return DONE if found else NOTHING
