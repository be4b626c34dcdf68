"""Options that several commands share, and the settings they result in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli.terminal import escape_line, print_note

if TYPE_CHECKING:
    from crawler.dataset.texts import depth as dataset
    from storage.open import Storage
    from workers.config.settings import Settings

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a line.")
]
CrawlOption = Annotated[
    str,
    typer.Option(
        help="Only of this crawl (its id, as `crawl` prints it).", metavar="ID"
    ),
]
ExpressionArgument = Annotated[
    str,
    typer.Argument(
        help="What to look for; everything when left out.", metavar="[EXPR]"
    ),
]

DepthOption = Annotated[
    str,
    typer.Option(
        help="pure: the kernel alone, template-free; unit: what compiles; full: its host code, too."
    ),
]
DEPTH_NAMES: Final = ("pure", "unit", "full")


def parse_depth(name: str) -> dataset.Depth:
    """Return the depth that a verb was asked for."""
    from crawler.dataset.texts.depth import Depth
    from crawler.errors import Misconfigured

    if name not in DEPTH_NAMES:
        raise Misconfigured(
            f"no depth is called {escape_line(name)}: give one of {', '.join(DEPTH_NAMES)}",
            code="bad-depth",
        )
    return Depth(name)


def context_settings(context: typer.Context, **flags: object) -> Settings:
    """Return the settings in force for a verb that was called with `flags`."""
    from workers.config.settings import load_settings

    return load_settings(**{**global_flags(context), **flags})


def is_known_crawl(storage: Storage, crawl: str) -> bool:
    """Tell whether a crawl has this id, and say so where none has; without an id all crawls are
    meant.
    """
    known = not crawl or bool(storage.ledger.task_counts(crawl))
    if not known:
        print_note(escape_line(f"no crawl has the id {crawl}: `crawl` prints it first"))
    return known


def global_flags(context: typer.Context) -> dict[str, object]:
    """Return the flags that stand before the verb."""
    return dict(context.find_root().obj or {})
