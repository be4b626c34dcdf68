"""Write imported samples that failed, in place of kernels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.exports.export_values import refuse_to_overwrite
from workers.cli.options import context_settings
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.dataset.interface import Exporter
    from storage.open import Storage

_VIEW: Final = "debug"
_FORMATS: Final = ("folder", "jsonl", "jsonl.zst", "parquet", "sqlite")
_OPTIONS: Final = ("imported", "destination", "view", "form", "force", "as_json")
"""Of `export`: the others speak of kernels."""


def export_imported(context: typer.Context, exporter: Exporter, collection: str) -> int:
    """Write the samples of a collection of which something failed; raises `Misconfigured`."""
    from crawler.dataset.imported.debug_folders import ImportedDebug
    from crawler.dataset.interface import RowContext
    from workers.config.configured_storage import open_configured_storage

    _require_fitting_options(context, exporter)
    destination: Path = context.params["destination"]
    refuse_to_overwrite(destination, context.params["force"])
    with open_configured_storage(context_settings(context)) as storage:
        _require_collection(storage, collection)
        # formats hand on to the view whatever they are given
        failed: Iterator[Any] = storage.imported_samples.iter_failed(collection)
        view = ImportedDebug(collection)
        row_count = exporter.write(view, failed, destination, RowContext())

    if context.params["as_json"]:
        print_json({"rows": row_count, "destination": str(destination)})
    else:
        line = f"{row_count} failed samples of {collection} in {destination}"
        print_line(escape_line(line))
    if not row_count:
        print_note("no sample has failed: what was not run has not")
    return DONE if row_count else NOTHING


def _require_fitting_options(context: typer.Context, exporter: Exporter) -> None:
    from crawler.errors import Misconfigured

    if context.params["view"] != _VIEW:
        raise Misconfigured(
            f"--imported is of the view {_VIEW}: give `kernelset export {_VIEW} DEST`",
            code="bad-view",
        )

    if exporter.name not in _FORMATS:
        raise Misconfigured(
            f"{exporter.name} has no form for imported samples: "
            f"give --format {' or '.join(_FORMATS)}",
            code="bad-format",
        )

    for name in context.params:
        source = context.get_parameter_source(name)
        is_typed = source is not None and source.name == "COMMANDLINE"
        if name not in _OPTIONS and is_typed:
            raise Misconfigured(
                f"--{name.replace('_', '-')} speaks of kernels, and --imported has none: "
                "leave one of the two out",
                code="bad-options",
            )


def _require_collection(storage: Storage, collection: str) -> None:
    from crawler.errors import Misconfigured

    counts = storage.imported_samples.count_samples()
    if collection in counts:
        return

    remedy = f"give one of {', '.join(counts)}"
    if not counts:
        remedy = "`kernelset import` brings some"
    raise Misconfigured(
        escape_line(f"nothing was imported as {collection}: {remedy}"),
        code="no-such-import",
    )
