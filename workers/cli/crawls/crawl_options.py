"""Arguments and options that say what is crawled, and how."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from crawler.sources.options import RepositoryFilter

_OWNER_PANEL: Final = "Which repositories of an owner (github:OWNER)"

LocatorsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="LOCATOR…",
        help="github:OWNER[/REPO], pypi:NAME[==VERSION], git+URL, a folder.",
    ),
]
LocatorFileOption = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="FILE", help="More locators: a file with one a line."
    ),
]
RepositoryLimitOption = Annotated[
    int,
    typer.Option(min=0, help="Repositories of each locator at most; 0 for all."),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Only print what would be crawled.")
]
CrawlTargetsOption = Annotated[
    str | None,
    typer.Option(
        help="What to compile for, separated by commas (default sm_80,gfx90a)."
    ),
]
CrawlDeviceOption = Annotated[
    str | None,
    typer.Option(
        metavar="DEVICE",
        help="Run kernels, too: on `cpu`, or then on `rocm`, `cuda`, `rocm:gfx942`.",
    ),
]
ProjectTestsOption = Annotated[
    str | None,
    typer.Option(
        metavar="PYTHON",
        help="With --device cpu, run projects' own tests, with this interpreter's PyTorch; "
        "`native` runs those alone that need none.",
    ),
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Worker processes (default one a core).")
]

ForksOption = Annotated[
    bool, typer.Option("--forks", help="Forks too.", rich_help_panel=_OWNER_PANEL)
]
NoArchivedOption = Annotated[
    bool,
    typer.Option(
        "--no-archived", help="No archived ones.", rich_help_panel=_OWNER_PANEL
    ),
]
NoTemplatesOption = Annotated[
    bool,
    typer.Option("--no-templates", help="No templates.", rich_help_panel=_OWNER_PANEL),
]
LanguagesOption = Annotated[
    str, typer.Option(help="Main language, as Cuda,C++.", rich_help_panel=_OWNER_PANEL)
]
LicencesOption = Annotated[
    str, typer.Option(help="SPDX ids, as MIT,Apache-2.0.", rich_help_panel=_OWNER_PANEL)
]
TopicsOption = Annotated[
    str,
    typer.Option(help="At least one of these topics.", rich_help_panel=_OWNER_PANEL),
]
MinStarsOption = Annotated[
    int, typer.Option(min=0, help="Stars at least.", rich_help_panel=_OWNER_PANEL)
]
MaxKilobytesOption = Annotated[
    int,
    typer.Option(
        min=0,
        help="Size at most, as the host counts it; 0 for any.",
        rich_help_panel=_OWNER_PANEL,
    ),
]
PushedSinceOption = Annotated[
    str, typer.Option(help="Date, as 2026-01-31.", rich_help_panel=_OWNER_PANEL)
]


def make_repository_filter(options: Mapping[str, Any]) -> RepositoryFilter:
    """Return which of an owner's repositories the options of a command ask for.

    `options` are all that the command was given, as `typer.Context.params` has them.
    """
    from crawler.sources.options import RepositoryFilter

    return RepositoryFilter(
        forks=options["forks"],
        archived=not options["no_archived"],
        templates=not options["no_templates"],
        languages=_split_words(options["languages"]),
        licences=_split_words(options["licences"]),
        topics=_split_words(options["topics"]),
        min_stars=options["min_stars"],
        max_kilobytes=options["max_kilobytes"],
        pushed_since=options["pushed_since"],
    )


def _split_words(text: str) -> tuple[str, ...]:
    words = (word.strip() for word in text.split(","))
    return tuple(word for word in words if word)
