"""Command `export`: write kernels as a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import (
    CrawlOption,
    DepthOption,
    JsonOption,
    context_settings,
    parse_depth,
)
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.dataset.interface import Exporter
    from crawler.model import KernelRecord, LicenceClass
    from crawler.optouts import OptOuts

VIEWS: Final = ("kernels",)
_ANY: Final = "any"
_WITHOUT_SUFFIX: Final = "tree"


def export(
    context: typer.Context,
    view: Annotated[
        str, typer.Argument(metavar="VIEW", help="What to export: kernels.")
    ],
    destination: Annotated[
        Path, typer.Argument(metavar="DEST", help="A file, or a folder for `tree`.")
    ],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="jsonl, parquet or tree (default: as DEST's suffix says, else tree).",
        ),
    ] = "",
    licence: Annotated[
        str,
        typer.Option(
            help="Licence classes, separated by commas: permissive, copyleft, restricted, none; or any."
        ),
    ] = "permissive",
    where: Annotated[
        str,
        typer.Option(
            metavar="EXPR", help="Only what matches, as in `kernelset query`."
        ),
    ] = "",
    depth: DepthOption = "unit",
    superseded: Annotated[
        bool,
        typer.Option(
            "--superseded",
            help="Also kernels of commits that a newer one has replaced.",
        ),
    ] = False,
    crawl: CrawlOption = "",
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Replace what lies at DEST, even if it is not ours."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Write kernels with their units, launches, verdicts, provenance and licences as a dataset.

    Only permissively licensed kernels by default; how many were left out, and why, goes to
    standard error.
    """
    from workers.config.configured_storage import open_configured_storage

    exporter, classes = _exporter(view, form, destination), _classes(licence)
    deep = parse_depth(depth)
    _refuse_to_overwrite(destination, force)
    left_out: Counter[tuple[str, str]] = Counter()
    settings = context_settings(context)
    optouts = settings.terms().optouts
    with open_configured_storage(settings) as storage:
        chosen = (
            where
            if superseded or crawl or "superseded" in where
            else f"{where} superseded = no"
        )
        records = _willing(
            storage.index.records(chosen, crawl=crawl), optouts, left_out
        )
        count = exporter.write(
            _licensed(records, classes, left_out), destination, deep, storage.blobs.get
        )
    _say_what_was_left_out(left_out)
    if as_json:
        print_json(
            {
                "rows": count,
                "destination": str(destination),
                "left_out": _by_licence(left_out),
            }
        )
    else:
        print_line(escape_line(f"{count} kernels in {destination}"))
    return DONE if count else NOTHING


def _exporter(view: str, form: str, destination: Path) -> Exporter:
    from crawler.errors import Misconfigured
    from crawler.plugins import load_plugins

    if view not in VIEWS:
        raise Misconfigured(
            f"no view is called {view}: there is {', '.join(VIEWS)}", code="bad-view"
        )
    name = form or destination.suffix.removeprefix(".") or _WITHOUT_SUFFIX
    exporters: dict[str, Exporter] = {
        plugin.name: plugin for plugin in load_plugins("crawler.dataset.exporters")
    }
    if name not in exporters:
        known = ", ".join(sorted(exporters))
        raise Misconfigured(
            f"say which format {destination} is to have: --format with one of {known}",
            code="bad-format",
        )
    return exporters[name]


def _classes(licence: str) -> frozenset[LicenceClass]:
    from crawler.errors import Misconfigured
    from crawler.model import LicenceClass

    if licence == _ANY:
        return frozenset(LicenceClass)
    try:
        return frozenset(LicenceClass(name.strip()) for name in licence.split(","))
    except ValueError as error:
        known = ", ".join((*LicenceClass, _ANY))
        raise Misconfigured(
            f"{error} of licences: give some of {known}", code="bad-licence-class"
        ) from error


def _refuse_to_overwrite(destination: Path, force: bool) -> None:
    from crawler.dataset.destination import can_replace
    from crawler.errors import Misconfigured

    if not force and not can_replace(destination):
        raise Misconfigured(
            f"{destination} exists and was not written by Kernelset: name another place, or give --force",
            code="destination-exists",
        )


def _willing(
    records: Iterable[KernelRecord],
    optouts: OptOuts,
    left_out: Counter[tuple[str, str]],
) -> Iterator[KernelRecord]:
    for record in records:
        unit = record.kernel.unit
        if optouts.covers_repository(record.provenance.repo) or (
            unit and optouts.covers_unit(unit.digest)
        ):
            left_out[("opted-out", record.kernel.licence.spdx)] += 1
        else:
            yield record


def _licensed(
    records: Iterable[KernelRecord],
    classes: frozenset[LicenceClass],
    left_out: Counter[tuple[str, str]],
) -> Iterator[KernelRecord]:
    for record in records:
        licence = record.kernel.licence
        if licence.kind in classes:
            yield record
        else:
            left_out[(licence.kind.value, licence.spdx)] += 1


def _say_what_was_left_out(left_out: Counter[tuple[str, str]]) -> None:
    if left_out:
        reasons = ", ".join(
            f"{number} {spdx} ({kind})"
            for (kind, spdx), number in sorted(left_out.items())
        )
        print_note(
            escape_line(
                f"left out {left_out.total()} kernels for their licence: {reasons}; see --licence"
            )
        )


def _by_licence(left_out: Counter[tuple[str, str]]) -> list[dict[str, object]]:
    return [
        {"class": kind, "licence": spdx, "kernels": number}
        for (kind, spdx), number in sorted(left_out.items())
    ]
