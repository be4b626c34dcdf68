"""Options that several verbs share, and the settings that come of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli.terminal import note, safe

if TYPE_CHECKING:
    from crawler.dataset import depth as dataset
    from storage.open import Storage
    from workers.settings import Settings

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]
Crawl = Annotated[str, typer.Option(help="Only of this crawl (its id, as `crawl` prints it).", metavar="ID")]
Expression = Annotated[str, typer.Argument(help="What to look for; everything when left out.", metavar="[EXPR]")]

Depth = Annotated[
    str, typer.Option(help="pure: the kernel alone, template-free; unit: what compiles; full: its host code, too.")
]
DEPTHS: Final = ("pure", "unit", "full")


def depth_of(name: str) -> dataset.Depth:
    """Return the depth that a verb was asked for."""
    from crawler.dataset.depth import Depth
    from crawler.errors import Misconfigured

    if name not in DEPTHS:
        raise Misconfigured(f"no depth is called {safe(name)}: give one of {', '.join(DEPTHS)}", code="bad-depth")
    return Depth(name)


def settings_of(context: typer.Context, **flags: object) -> Settings:
    """Return the settings in force for a verb that was called with `flags`."""
    from workers.settings import load

    return load(**{**flags_of(context), **flags})


def is_known(storage: Storage, crawl: str) -> bool:
    """Tell whether a crawl has this id, and say so where none has; without an id all crawls are meant."""
    known = not crawl or bool(storage.ledger.counts(crawl))
    if not known:
        note(safe(f"no crawl has the id {crawl}: `crawl` prints it first"))
    return known


def flags_of(context: typer.Context) -> dict[str, object]:
    """Return the flags that stand before the verb."""
    return dict(context.find_root().obj or {})
