"""Count in SQL how many kernels and units came through to which step.

This takes seconds at a million kernels: units are listed once each, and what speaks for them is
joined to that list, never by an `OR`, for which Postgres looks at every pair of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    Table,
    func,
    select,
    true,
    union,
)

from storage.index.newest_verdicts import is_newest_build, iter_foremost_runs
from storage.kernel_counts import StepTotals
from storage.tables import BUILD, KERNEL, PORT, RUN


def count_steps(
    connection: Connection, condition: ColumnElement[bool] | None = None
) -> StepTotals:
    """Count the kernels that meet `condition`, or all."""
    chosen = true() if condition is None else condition
    kernels = select(func.count()).select_from(KERNEL).where(chosen)
    units = select(func.count()).select_from(_list_units(chosen))
    return StepTotals(
        files=connection.scalar(_file_count(chosen)) or 0,
        kernels=connection.scalar(kernels) or 0,
        units=connection.scalar(units) or 0,
        ported=connection.scalar(unit_count_in(PORT, chosen)) or 0,
        compiled=read_statuses(connection, build_counts(chosen, BUILD.c.status)),
        ran=read_statuses(connection, run_counts(chosen, RUN.c.exe_status)),
    )


def read_statuses(
    connection: Connection, statement: Select[Any]
) -> dict[str, dict[str, int]]:
    """Return the numbers by the first column of the rows, then by the second."""
    statuses: dict[str, dict[str, int]] = {}
    for place, status, number in connection.execute(statement):
        numbers = statuses.setdefault(place, {})
        numbers[status] = number

    return statuses


def _file_count(chosen: ColumnElement[bool]) -> Select[Any]:
    # DISTINCT over three columns needs a subquery: SQLite counts distinct values of one
    columns = KERNEL.c
    files = select(columns.repo, columns.pinned, columns.path)
    distinct_files = files.where(chosen).distinct()
    return select(func.count()).select_from(distinct_files.subquery())


def _list_units(chosen: ColumnElement[bool]) -> CTE:
    """Return the distinct units of kernels: the same one may be found in many commits."""
    units = select(KERNEL.c.unit).where(chosen, KERNEL.c.unit != "").distinct()
    return units.cte("chosen_unit")


def unit_count_in(table: Table, chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for the number of units that have a row in `table`."""
    units = _list_units(chosen)
    rows = select(table.c.unit).where(table.c.unit == units.c.unit)
    return select(func.count()).select_from(units).where(rows.exists())


def build_counts(
    chosen: ColumnElement[bool], column: ColumnElement[str]
) -> Select[Any]:
    """Return the query for (target, value of a build's column, number of units)."""
    units = _list_units(chosen)
    # a port is a unit too, and has builds of its own
    own = select(units.c.unit, BUILD.c.target, column.label("value")).where(
        BUILD.c.unit == units.c.unit
    )
    of_port = select(units.c.unit, BUILD.c.target, column.label("value")).where(
        PORT.c.unit == units.c.unit, BUILD.c.unit == PORT.c.ported
    )
    is_told = is_newest_build(BUILD), column != ""
    # a union leaves out what a unit has twice
    values = union(own.where(*is_told), of_port.where(*is_told)).subquery("each_value")
    return _count_by(values.c.target, values.c.value)


def run_counts(chosen: ColumnElement[bool], column: ColumnElement[str]) -> Select[Any]:
    """Return the query for (device, value of a run's column, number of units)."""
    values = rows_of_runs(
        iter_foremost_runs(),
        (KERNEL.c.unit, RUN.c.device, column.label("value")),
        (chosen, column != ""),
    ).subquery("each_value")
    return _count_by(values.c.device, values.c.value)


def _count_by(*groups: ColumnElement[Any]) -> Select[Any]:
    return select(*groups, func.count()).group_by(*groups).order_by(*groups)


def rows_of_runs(
    links: Iterable[ColumnElement[bool]],
    columns: Sequence[ColumnElement[Any]],
    conditions: Sequence[ColumnElement[bool]],
) -> CompoundSelect[Any]:
    """Return the query for the distinct `columns` of kernels with a unit and of their runs, to
    which one of `links` leads.
    """

    def iter_selects() -> Iterator[Select[Any]]:
        has_unit = KERNEL.c.unit != ""
        for link in links:
            yield select(*columns).where(link, has_unit, *conditions)

    return union(*iter_selects())
