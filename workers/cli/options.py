"""Options that several commands share, and the settings they result in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli.kernels.completion import complete_expression
from workers.cli.terminal import escape_line, print_note

if TYPE_CHECKING:
    from crawler.dataset.texts.depth import Depth
    from storage.open import Storage
    from workers.config.settings import Settings


def print_version(is_requested: bool) -> None:
    """Print the version and end, where that is asked for."""
    if not is_requested:
        return
    from importlib.metadata import version

    typer.echo(f"kernelset {version('kernelset')}")
    raise typer.Exit


VersionOption = Annotated[
    bool,
    typer.Option(
        "--version",
        callback=print_version,
        is_eager=True,
        help="Print the version.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a line.")
]
CrawlOption = Annotated[
    str,
    typer.Option(
        help="Only of this crawl (its id, as `crawl` and `crawls` print it).",
        metavar="ID",
    ),
]
ExpressionArgument = Annotated[
    str,
    typer.Argument(
        help="What to look for; everything when left out.",
        metavar="[EXPR]",
        autocompletion=complete_expression,
    ),
]

DepthOption = Annotated[
    str,
    typer.Option(
        help="pure: the kernel alone, template-free; unit: what compiles; "
        "full: its host code, too."
    ),
]
NOTHING_CRAWLED: Final = "nothing was crawled yet: `kernelset crawl LOCATOR` begins"
DEPTH_NAMES: Final = ("pure", "unit", "full")


def parse_depth(name: str) -> Depth:
    """Return the depth with this name; raises `Misconfigured` where none has it."""
    from crawler.dataset.texts.depth import Depth
    from crawler.errors import Misconfigured

    if name not in DEPTH_NAMES:
        names = ", ".join(DEPTH_NAMES)
        raise Misconfigured(
            f"no depth is called {escape_line(name)}: give one of {names}",
            code="bad-depth",
        )
    return Depth(name)


def context_settings(context: typer.Context, **flags: object) -> Settings:
    """Return the settings in force for a command that was called with `flags`."""
    from workers.config.setting_sources import load_settings

    # a flag of the command itself wins over one that stands before it
    all_flags = {**global_flags(context), **flags}
    return load_settings(**all_flags)


def is_known_crawl(storage: Storage, crawl: str) -> bool:
    """Tell whether a crawl has this id, and say so where none has; without an id all crawls are
    meant.
    """
    if not crawl or storage.ledger.task_counts(crawl):
        return True

    print_note(
        escape_line(f"no crawl has the id {crawl}: `kernelset crawls` lists them")
    )
    return False


def describe_empty_result(storage: Storage) -> str:
    """Say why a look into the index showed no kernel, and what to do."""
    if storage.ledger.crawls():
        return "nothing matches: `kernelset query` without an expression lists all"
    return NOTHING_CRAWLED


def global_flags(context: typer.Context) -> dict[str, object]:
    """Return the flags that stand before the command."""
    return dict(context.find_root().obj or {})
