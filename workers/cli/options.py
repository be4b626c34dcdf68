"""Options that several verbs share, and the settings that come of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from workers.settings import Settings

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]
Crawl = Annotated[str, typer.Option(help="Only of this crawl (its id, as `crawl` prints it).", metavar="ID")]
Expression = Annotated[str, typer.Argument(help="What to look for; everything when left out.", metavar="[EXPR]")]


def settings_of(context: typer.Context, **flags: object) -> Settings:
    """Return the settings in force for a verb that was called with `flags`."""
    from workers.settings import load

    return load(**{**flags_of(context), **flags})


def flags_of(context: typer.Context) -> dict[str, object]:
    """Return the flags that stand before the verb."""
    return dict(context.find_root().obj or {})
