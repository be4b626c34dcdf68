"""Count kernels, units and verdicts in SQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    Table,
    distinct,
    func,
    select,
    true,
    union,
)

from storage.index.derived_values import PASSING_STATUSES
from storage.index.newest_verdicts import (
    is_foremost_run,
    is_newest_build,
    is_newest_run,
)
from storage.interfaces import Totals
from storage.tables import BUILD, KERNEL, PORT, PORT_BLOCKER, RUN


def count_totals(
    connection: Connection, condition: ColumnElement[bool] | None = None
) -> Totals:
    """Count the kernels that meet `condition`, or all."""
    chosen = true() if condition is None else condition
    compiled = _read_statuses(connection, _build_statuses(chosen))
    ran = _read_statuses(connection, _run_statuses(chosen))

    return Totals(
        files=connection.scalar(_file_count(chosen)) or 0,
        by_layer=_read_counts(connection, _kernels_by_layer(chosen)),
        units=connection.scalar(_unit_count(chosen)) or 0,
        ported=connection.scalar(_unit_count_in(PORT, chosen)) or 0,
        classified=connection.scalar(_unit_count_in(PORT_BLOCKER, chosen)) or 0,
        compiled=compiled,
        ran=ran,
        reasons=_read_counts(connection, _kernels_by_reason(chosen)),
    )


def _read_counts(connection: Connection, statement: Select[Any]) -> dict[str, int]:
    return {row[0]: row[1] for row in connection.execute(statement)}


def _read_statuses(
    connection: Connection, statement: Select[Any]
) -> dict[str, dict[str, int]]:
    """Return the numbers by the first column of the rows, then by the second."""
    statuses: dict[str, dict[str, int]] = {}
    for place, status, number in connection.execute(statement):
        statuses.setdefault(place, {})[status] = number
    return statuses


def _file_count(chosen: ColumnElement[bool]) -> Select[Any]:
    # DISTINCT over three columns needs a subquery: SQLite counts distinct values of one
    files = select(KERNEL.c.repo, KERNEL.c.pinned, KERNEL.c.path).where(chosen)
    return select(func.count()).select_from(files.distinct().subquery())


def _kernels_by_layer(chosen: ColumnElement[bool]) -> Select[Any]:
    layer = KERNEL.c.found_by
    counted = select(layer, func.count()).where(chosen)
    return counted.group_by(layer).order_by(layer)


def _unit_count(chosen: ColumnElement[bool]) -> Select[Any]:
    # the same unit may be found in many commits
    units = select(func.count(distinct(KERNEL.c.unit)))
    return units.where(chosen, KERNEL.c.unit != "")


def _unit_count_in(table: Table, chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for the number of units that have a row in `table`."""
    units = select(KERNEL.c.unit).where(chosen, KERNEL.c.unit != "")
    return select(func.count(distinct(table.c.unit))).where(table.c.unit.in_(units))


def _build_statuses(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (target, status, number of units)."""
    family = _unit_families(chosen)
    groups = BUILD.c.target, BUILD.c.status
    return (
        select(*groups, func.count(distinct(family.c.unit)))
        .join(family, family.c.built == BUILD.c.unit)
        .where(is_newest_build(BUILD))
        .group_by(*groups)
        .order_by(*groups)
    )


def _run_statuses(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (device, status, number of units)."""
    groups = RUN.c.device, RUN.c.exe_status
    return (
        select(*groups, func.count(distinct(KERNEL.c.unit)))
        .where(chosen, KERNEL.c.unit != "")
        .join_from(KERNEL, RUN, is_foremost_run())
        .group_by(*groups)
        .order_by(*groups)
    )


def _kernels_by_reason(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (code, number of kernels)."""
    # UNION removes duplicates: a kernel counts once for each code
    pairs = union(
        _kernels_with_build_codes(chosen),
        _kernels_with_run_codes(chosen),
        _kernels_with_blockers(chosen),
        # why there is no unit; empty where there is one
        select(KERNEL.c.id, KERNEL.c.unit_problem).where(chosen),
    ).subquery("each")
    return (
        select(pairs.c.code, func.count())
        .where(pairs.c.code != "")
        .group_by(pairs.c.code)
        .order_by(pairs.c.code)
    )


def _kernels_with_build_codes(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (kernel, code of a build that does not pass)."""
    family = _unit_families(chosen)
    return (
        select(KERNEL.c.id.label("kernel"), BUILD.c.code)
        .join_from(KERNEL, family, family.c.unit == KERNEL.c.unit)
        .join(BUILD, BUILD.c.unit == family.c.built)
        .where(is_newest_build(BUILD), BUILD.c.status.not_in(PASSING_STATUSES))
        .where(chosen)
    )


def _kernels_with_run_codes(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (kernel, code of a run that does not pass)."""
    family = _unit_families(chosen)
    return (
        select(KERNEL.c.id, RUN.c.exe_code)
        .join_from(KERNEL, family, family.c.unit == KERNEL.c.unit)
        .join(RUN, RUN.c.unit == family.c.built)
        .where(is_newest_run(RUN), RUN.c.exe_status.not_in(PASSING_STATUSES))
        .where(chosen)
    )


def _kernels_with_blockers(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (kernel, code of what blocks a port of its unit)."""
    return (
        select(KERNEL.c.id, PORT_BLOCKER.c.code)
        .join_from(KERNEL, PORT_BLOCKER, PORT_BLOCKER.c.unit == KERNEL.c.unit)
        .where(chosen)
    )


def _unit_families(chosen: ColumnElement[bool]) -> Subquery:
    """Return the query for (unit, built): each unit with itself and with each of its ports."""
    # a port is a unit too, and has builds and runs of its own
    own = select(KERNEL.c.unit, KERNEL.c.unit.label("built")).where(
        chosen, KERNEL.c.unit != ""
    )
    ported = select(PORT.c.unit, PORT.c.ported).where(
        PORT.c.unit.in_(select(KERNEL.c.unit).where(chosen))
    )
    return union(own, ported).subquery("family")
