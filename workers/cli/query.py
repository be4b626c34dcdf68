"""kernelset query: rows of the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli import DONE, NOTHING
from workers.cli.options import Crawl, Expression, Json, settings_of
from workers.cli.terminal import note, safe, say, say_json

if TYPE_CHECKING:
    from storage.ports import KernelRow


def query(
    context: typer.Context,
    expression: Expression = "",
    crawl: Crawl = "",
    limit: Annotated[int, typer.Option(min=0, help="Rows at most; 0 for all.")] = 0,
    as_json: Json = False,
) -> int:
    """Print the kernels that match an expression, one a line."""
    from crawler.codec import plain
    from workers.wiring import storage_of

    found = 0
    with storage_of(settings_of(context)) as storage:
        for row in storage.index.query(expression, crawl=crawl, limit=limit):
            found += 1
            if as_json:
                say_json(plain(row))
            else:
                say(_line(row))
    if not found:
        note("nothing matches")
    return DONE if found else NOTHING


def _line(row: KernelRow) -> str:
    told = (*sorted(row.pass_call.items()), *sorted(row.pass_exe.items()))
    verdicts = " ".join(f"{place}:{status}" for place, status in told)
    unit = row.digest[:12] or "no unit"
    parts = (unit, row.name, f"{row.repo}@{row.commit[:19]}", f"{row.path}:{row.line}", row.found_by, verdicts)
    return safe("  ".join(part for part in parts if part))
