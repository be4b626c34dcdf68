"""Count kernels, units and verdicts in SQL."""

from __future__ import annotations

from collections import defaultdict
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
from storage.index.sql_filters import (
    BLOCKER,
    BUILD,
    KERNEL,
    PORT,
    RUN,
    is_foremost_run,
    is_newest_build,
    is_newest_run,
)
from storage.interfaces import Totals


def count_totals(
    connection: Connection, condition: ColumnElement[bool] | None = None
) -> Totals:
    """Count the kernels that are `condition`, or all."""
    chosen = true() if condition is None else condition
    layers = (
        select(KERNEL.c.found_by, func.count())
        .where(chosen)
        .group_by(KERNEL.c.found_by)
    )
    units = select(func.count(distinct(KERNEL.c.unit))).where(
        chosen, KERNEL.c.unit != ""
    )
    places = (
        select(KERNEL.c.repo, KERNEL.c.pinned, KERNEL.c.path)
        .where(chosen)
        .distinct()
        .subquery()
    )
    compiled: dict[str, dict[str, int]] = defaultdict(dict)
    for target, status, number in connection.execute(_verdicts(chosen)):
        compiled[target][status] = number
    ran: dict[str, dict[str, int]] = defaultdict(dict)
    for device, status, number in connection.execute(_ran(chosen)):
        ran[device][status] = number
    return Totals(
        files=connection.scalar(select(func.count()).select_from(places)) or 0,
        by_layer={
            row[0]: row[1]
            for row in connection.execute(layers.order_by(KERNEL.c.found_by))
        },
        units=connection.scalar(units) or 0,
        ported=connection.scalar(_units_of(PORT, chosen)) or 0,
        classified=connection.scalar(_units_of(BLOCKER, chosen)) or 0,
        compiled=dict(compiled),
        ran=dict(ran),
        reasons={row[0]: row[1] for row in connection.execute(_reasons(chosen))},
    )


def _units_of(table: Table, chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for the number of units that have a row in a table."""
    mine = select(KERNEL.c.unit).where(chosen, KERNEL.c.unit != "")
    return select(func.count(distinct(table.c.unit))).where(table.c.unit.in_(mine))


def _verdicts(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (target, status, number of units)."""
    family = _families(chosen)
    groups = BUILD.c.target, BUILD.c.status
    counted = select(*groups, func.count(distinct(family.c.unit))).join(
        family, family.c.built == BUILD.c.unit
    )
    return counted.where(is_newest_build(BUILD)).group_by(*groups).order_by(*groups)


def _ran(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (device, status, number of units)."""
    groups = RUN.c.device, RUN.c.exe_status
    counted = select(*groups, func.count(distinct(KERNEL.c.unit))).where(
        chosen, KERNEL.c.unit != ""
    )
    spoken = counted.join_from(KERNEL, RUN, is_foremost_run())
    return spoken.group_by(*groups).order_by(*groups)


def _reasons(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (code, number of kernels)."""
    family = _families(chosen)
    failed = select(KERNEL.c.id.label("kernel"), BUILD.c.code).join_from(
        KERNEL, family, family.c.unit == KERNEL.c.unit
    )
    failed = failed.join(BUILD, BUILD.c.unit == family.c.built).where(
        is_newest_build(BUILD), BUILD.c.status.not_in(PASSING_STATUSES)
    )
    stopped = select(KERNEL.c.id, RUN.c.exe_code).join_from(
        KERNEL, family, family.c.unit == KERNEL.c.unit
    )
    stopped = stopped.join(RUN, RUN.c.unit == family.c.built).where(
        is_newest_run(RUN), RUN.c.exe_status.not_in(PASSING_STATUSES)
    )
    blocked = select(KERNEL.c.id, BLOCKER.c.code).join_from(
        KERNEL, BLOCKER, BLOCKER.c.unit == KERNEL.c.unit
    )
    lost = select(KERNEL.c.id, KERNEL.c.unit_problem)
    each = union(
        *(one.where(chosen) for one in (failed, stopped, blocked, lost))
    ).subquery("each")
    return (
        select(each.c.code, func.count())
        .where(each.c.code != "")
        .group_by(each.c.code)
        .order_by(each.c.code)
    )


def _families(chosen: ColumnElement[bool]) -> Subquery:
    """Return each unit beside itself and beside its ports."""
    mine = select(KERNEL.c.unit, KERNEL.c.unit.label("built")).where(
        chosen, KERNEL.c.unit != ""
    )
    ported = select(PORT.c.unit, PORT.c.ported).where(
        PORT.c.unit.in_(select(KERNEL.c.unit).where(chosen))
    )
    return union(mine, ported).subquery("family")
