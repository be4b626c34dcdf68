"""Command `query`: list the kernels that match an expression."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.kernels.completion import complete_fields
from workers.cli.kernels.value_hints import iter_value_hints
from workers.cli.options import (
    CrawlOption,
    ExpressionArgument,
    JsonOption,
    context_settings,
    describe_empty_result,
    is_known_crawl,
)
from workers.cli.run_statuses import iter_status_notes
from workers.cli.terminal import (
    escape_line,
    format_table,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from storage.interfaces import KernelRow
    from storage.open import Storage
    from workers.config.settings import Settings

_NOT_RUN: Final = "not-run"


def query(
    context: typer.Context,
    expression: ExpressionArgument = "",
    facet: Annotated[
        str,
        typer.Option(
            metavar="FIELDS",
            help="Count the kernels by the values of these fields instead, as in "
            "licence,class,pass_call.sm_80.",
            autocompletion=complete_fields,
        ),
    ] = "",
    crawl: CrawlOption = "",
    limit: Annotated[
        int, typer.Option(min=0, help="Rows, or values of a field, at most; 0 for all.")
    ] = 0,
    as_json: JsonOption = False,
) -> int:
    """Print the kernels that match an expression, one a line."""
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    if not (facet or crawl or settings.database):
        rows = _read_small_index(settings, expression)
        if rows:
            _print_rows(rows[: limit or None], as_json=as_json)
            return DONE

    with open_configured_storage(settings) as storage:
        if not is_known_crawl(storage, crawl):
            return NOTHING
        if facet:
            line_count = _print_facets(
                storage, facet, expression, crawl, limit, as_json=as_json
            )
        else:
            matching_rows = storage.index.query(expression, crawl=crawl, limit=limit)
            line_count = _print_rows(matching_rows, as_json=as_json)

        if not line_count:
            print_note(describe_empty_result(storage))
            for hint in iter_value_hints(storage.index, expression):
                print_note(hint)

    return DONE if line_count else NOTHING


def _read_small_index(settings: Settings, expression: str) -> list[KernelRow] | None:
    """Return the rows that match, where they can be had without loading what opens a storage."""
    from storage.index.pages.small_index import query_small_index

    return query_small_index(settings.home / "kernelset.db", expression)


def _print_rows(rows: Iterable[KernelRow], *, as_json: bool) -> int:
    """Print rows and return how many there were."""
    from crawler.codec import to_builtins

    row_count = 0
    statuses: set[str] = set()
    for row in rows:
        row_count += 1
        statuses.update(row.pass_exe.values())
        if as_json:
            print_json(to_builtins(row))
        else:
            print_line(_format_row(row))

    # on standard error, so that what reads the rows gets rows alone
    for note in () if as_json else iter_status_notes(statuses):
        print_note(note)
    return row_count


def _print_facets(
    storage: Storage,
    facet: str,
    expression: str,
    crawl: str,
    limit: int,
    *,
    as_json: bool,
) -> int:
    """Print the values of fields with their kernels, and return how many there were."""
    from crawler.codec import to_builtins

    lines: list[tuple[str, str, str]] = []
    for name in facet.split(","):
        counts = storage.index.count_values(name, expression, crawl=crawl)
        for count in counts[: limit or None]:
            if as_json:
                print_json({"facet": name.strip(), **to_builtins(count)})
            field, _, target = name.strip().partition(".")
            place = ".".join(filter(None, (field, target or count.target)))
            value = escape_line(count.value or '""')
            lines.append((place, value, str(count.kernels)))

    for line in () if as_json else format_table(lines):
        print_line(line)
    return len(lines)


def _format_row(row: KernelRow) -> str:
    statuses = [*sorted(row.pass_call.items()), *sorted(row.pass_exe.items())]
    verdicts = [f"{place}:{status}" for place, status in statuses]
    for device, status_per_label in sorted(row.instantiation_exe.items()):
        run_count = sum(status != _NOT_RUN for status in status_per_label.values())
        # a kernel that is no template has one, of which the verdict itself speaks
        if len(status_per_label) > 1:
            verdicts.append(f"{device}-run:{run_count}/{len(status_per_label)}")

    cells = (
        row.digest[:12] or "no unit",
        row.name,
        f"{row.repo}@{row.commit[:19]}",
        f"{row.path}:{row.line}",
        row.found_by,
        " ".join(verdicts),
    )
    return escape_line("  ".join(cell for cell in cells if cell))
