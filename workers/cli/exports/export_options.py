"""Arguments and options of the command `export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workers.cli.kernels.completion import complete_expression, complete_view

ViewArgument = Annotated[
    str,
    typer.Argument(
        metavar="VIEW",
        help="What a row is: kernels, pairs, ...; `kernelset views` lists them all.",
        autocompletion=complete_view,
    ),
]
DestinationArgument = Annotated[
    Path,
    typer.Argument(metavar="DEST", help="A file, or a folder for `tree` and `folder`."),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        help="jsonl, jsonl.zst, parquet, sqlite, huggingface, tree (of kernels) or folder (of "
        "debug, geak and pytorch); "
        "default: as DEST's suffix says, else tree.",
    ),
]
LicenceOption = Annotated[
    str,
    typer.Option(
        help="Licence classes, separated by commas: "
        "permissive, copyleft, restricted, none; or any."
    ),
]
WhereOption = Annotated[
    str,
    typer.Option(
        metavar="EXPR",
        help="Only what matches, as in `kernelset query`.",
        autocompletion=complete_expression,
    ),
]
SupersededOption = Annotated[
    bool,
    typer.Option(
        "--superseded",
        help="Also kernels of commits that a newer one has replaced.",
    ),
]
CopiesOption = Annotated[
    bool,
    typer.Option(
        "--copies",
        help="Also near copies, of which one is taken otherwise: the best proven.",
    ),
]
SplitsOption = Annotated[
    str,
    typer.Option(
        metavar="SHARES",
        help="Splits and their shares of all families of repositories; default with "
        "`huggingface` and `--split`: train=0.9,validation=0.05,test=0.05.",
    ),
]
SplitOption = Annotated[
    str,
    typer.Option(metavar="NAME", help="Only this split, for formats of one file."),
]
DecontaminateOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="BENCHMARK",
        help="Leave out kernels of this benchmark, a folder or a file of JSON Lines or "
        "Parquet; may be given several times.",
    ),
]
ContaminationReportOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write what was left out for that, as JSON Lines."
    ),
]
SeedOption = Annotated[int, typer.Option(help="Another one gives other splits.")]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Replace what lies at DEST, even if it is not ours."),
]
ImportedOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Of the view `debug`: samples that `kernelset import` brought under this name, and "
        "not kernels.",
    ),
]
ReleaseOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Write a release of this name into the folder DEST: Parquet in shards, the list of "
        "its kernels and a manifest. Interrupted, the same command goes on.",
    ),
]
SinceOption = Annotated[
    Path | None,
    typer.Option(
        metavar="RELEASE",
        help="Of a release: only what is new or changed since the one in this folder, and "
        "tombstones for what has to go.",
    ),
]
