"""Kernels, units and verdicts, counted where they lie."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, distinct, func, select, true, union

from storage.filters import BUILD, KERNEL, PORT, newest
from storage.ports import Totals


def totals(connection: Connection, wanted: ColumnElement[bool] | None = None) -> Totals:
    """Count the kernels that are `wanted`, or all."""
    chosen = true() if wanted is None else wanted
    layers = select(KERNEL.c.found_by, func.count()).where(chosen).group_by(KERNEL.c.found_by)
    units = select(func.count(distinct(KERNEL.c.unit))).where(chosen, KERNEL.c.unit != "")
    places = select(KERNEL.c.repo, KERNEL.c.pinned, KERNEL.c.path).where(chosen).distinct().subquery()
    compiled: dict[str, dict[str, int]] = defaultdict(dict)
    for target, status, number in connection.execute(_verdicts(chosen)):
        compiled[target][status] = number
    return Totals(
        files=connection.scalar(select(func.count()).select_from(places)) or 0,
        by_layer={row[0]: row[1] for row in connection.execute(layers.order_by(KERNEL.c.found_by))},
        units=connection.scalar(units) or 0,
        compiled=dict(compiled),
    )


def _verdicts(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (target, status, number of units)."""
    mine = select(KERNEL.c.unit, KERNEL.c.unit.label("built")).where(chosen, KERNEL.c.unit != "")
    ported = select(PORT.c.unit, PORT.c.ported).where(PORT.c.unit.in_(select(KERNEL.c.unit).where(chosen)))
    family = union(mine, ported).subquery("family")
    groups = BUILD.c.target, BUILD.c.status
    counted = select(*groups, func.count(distinct(family.c.unit))).join(family, family.c.built == BUILD.c.unit)
    return counted.where(newest(BUILD)).group_by(*groups).order_by(*groups)
