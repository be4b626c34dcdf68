"""Count kernels, units and verdicts in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    Subquery,
    Table,
    and_,
    distinct,
    func,
    select,
    true,
    union,
)

from crawler.model import Status
from storage.index.derived_values import PASSING_STATUSES, summarise_shares
from storage.index.newest_verdicts import (
    is_newest_build,
    is_newest_run,
    iter_foremost_runs,
    iter_speaking_runs,
)
from storage.kernel_counts import Totals
from storage.tables import BUILD, INSTANTIATION, KERNEL, PORT, PORT_BLOCKER, RUN


def count_totals(
    connection: Connection, condition: ColumnElement[bool] | None = None
) -> Totals:
    """Count the kernels that meet `condition`, or all."""
    chosen = true() if condition is None else condition
    files = connection.scalar(_file_count(chosen))
    units = connection.scalar(_unit_count(chosen))
    ported = connection.scalar(_unit_count_in(PORT, chosen))
    classified = connection.scalar(_unit_count_in(PORT_BLOCKER, chosen))
    by_layer = _read_counts(connection, _kernels_by_layer(chosen))
    compiled = _read_statuses(connection, _build_counts(chosen, BUILD.c.status))
    fidelity = _read_statuses(connection, _build_counts(chosen, BUILD.c.fidelity))
    ran = _read_statuses(connection, _run_counts(chosen, RUN.c.exe_status))
    extents = _read_statuses(connection, _run_counts(chosen, RUN.c.extents))
    strength = _read_statuses(connection, _run_counts(chosen, RUN.c.strength))
    mutants_killed = summarise_shares(
        (unit, device, killed / mutants)
        for unit, device, killed, mutants in connection.execute(_mutants(chosen))
    )
    instantiations = _read_statuses(connection, _instantiation_statuses(chosen))
    reasons = _read_counts(connection, _kernels_by_reason(chosen))

    return Totals(
        files=files or 0,
        by_layer=by_layer,
        units=units or 0,
        ported=ported or 0,
        classified=classified or 0,
        compiled=compiled,
        fidelity=fidelity,
        ran=ran,
        instantiations=instantiations,
        extents=extents,
        strength=strength,
        mutants_killed=mutants_killed,
        reasons=reasons,
    )


def _read_counts(connection: Connection, statement: Select[Any]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word, number in connection.execute(statement):
        counts[word] = number

    return counts


def _read_statuses(
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


def _kernels_by_layer(chosen: ColumnElement[bool]) -> Select[Any]:
    layer = KERNEL.c.found_by
    counted = select(layer, func.count()).where(chosen)
    return counted.group_by(layer).order_by(layer)


def _unit_count(chosen: ColumnElement[bool]) -> Select[Any]:
    # the same unit may be found in many commits
    units = select(func.count(distinct(KERNEL.c.unit)))
    has_unit = KERNEL.c.unit != ""
    return units.where(chosen, has_unit)


def _unit_count_in(table: Table, chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for the number of units that have a row in `table`."""
    has_unit = KERNEL.c.unit != ""
    units = select(KERNEL.c.unit).where(chosen, has_unit)
    number = func.count(distinct(table.c.unit))
    return select(number).where(table.c.unit.in_(units))


def _build_counts(
    chosen: ColumnElement[bool], column: ColumnElement[str]
) -> Select[Any]:
    """Return the query for (target, value of a build's column, number of units)."""
    family = _unit_families(chosen)
    groups = BUILD.c.target, column
    number = func.count(distinct(family.c.unit))
    is_of_family = family.c.built == BUILD.c.unit

    return (
        select(*groups, number)
        .join(family, is_of_family)
        .where(is_newest_build(BUILD), column != "")
        .group_by(*groups)
        .order_by(*groups)
    )


def _run_counts(chosen: ColumnElement[bool], column: ColumnElement[str]) -> Select[Any]:
    """Return the query for (device, value of a run's column, number of units)."""
    values = _rows_of_runs(
        iter_foremost_runs(),
        (KERNEL.c.unit, RUN.c.device, column.label("value")),
        (chosen, column != ""),
    ).subquery("each_value")
    groups = values.c.device, values.c.value

    return select(*groups, func.count()).group_by(*groups).order_by(*groups)


def _mutants(chosen: ColumnElement[bool]) -> CompoundSelect[Any]:
    """Return the query for (unit, device, mutants that were told, mutants)."""
    return _rows_of_runs(
        iter_foremost_runs(),
        (KERNEL.c.unit, RUN.c.device, RUN.c.killed, RUN.c.mutants),
        (chosen, RUN.c.mutants > 0),
    )


def _instantiation_statuses(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (device, status, number of instantiations of units)."""
    is_of_kernel = INSTANTIATION.c.kernel == KERNEL.c.id
    labelled_runs = _rows_of_runs(
        iter_foremost_runs(),
        (KERNEL.c.unit, RUN.c.device, INSTANTIATION.c.label),
        (chosen, is_of_kernel),
    ).subquery("wanted")
    tried = _rows_of_runs(
        iter_speaking_runs(RUN),
        (
            KERNEL.c.unit,
            RUN.c.device,
            RUN.c.instantiation.label("label"),
            RUN.c.exe_status,
        ),
        (chosen,),
    ).subquery("tried")
    is_tried = and_(
        *(
            labelled_runs.c[name] == tried.c[name]
            for name in ("unit", "device", "label")
        )
    )
    status = func.coalesce(tried.c.exe_status, Status.NOT_RUN.value).label("status")
    verdicts = select(labelled_runs.c.device, status).outerjoin_from(
        labelled_runs, tried, is_tried
    )
    instantiation = verdicts.subquery("each_instantiation")
    groups = instantiation.c.device, instantiation.c.status

    return select(*groups, func.count()).group_by(*groups).order_by(*groups)


def _rows_of_runs(
    links: Iterable[ColumnElement[bool]],
    columns: Sequence[ColumnElement[Any]],
    conditions: Sequence[ColumnElement[bool]],
) -> CompoundSelect[Any]:
    """Return the query for the distinct `columns` of kernels with a unit, and of their runs.

    A query for each of the links, since Postgres looks at every pair of rows that are joined by
    an `OR`: the union of both takes seconds where that takes hours.
    """
    has_unit = KERNEL.c.unit != ""
    return union(
        *(select(*columns).where(link, has_unit, *conditions) for link in links)
    )


def _kernels_by_reason(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (code, number of kernels)."""
    unit_problems = select(KERNEL.c.id, KERNEL.c.unit_problem).where(chosen)
    # UNION removes duplicates: a kernel counts once for each code
    pairs = union(
        _kernels_with_build_codes(chosen),
        _kernels_with_run_codes(chosen),
        _kernels_with_blockers(chosen),
        unit_problems,
    ).subquery("each")
    code = pairs.c.code
    # no problem of a unit, and no code of a verdict
    has_code = code != ""

    return select(code, func.count()).where(has_code).group_by(code).order_by(code)


def _kernels_with_build_codes(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (kernel, code of a build that does not pass)."""
    family = _unit_families(chosen)
    is_of_kernel = family.c.unit == KERNEL.c.unit
    is_of_family = BUILD.c.unit == family.c.built
    has_failed = BUILD.c.status.not_in(PASSING_STATUSES)

    return (
        select(KERNEL.c.id.label("kernel"), BUILD.c.code)
        .join_from(KERNEL, family, is_of_kernel)
        .join(BUILD, is_of_family)
        .where(is_newest_build(BUILD), has_failed)
        .where(chosen)
    )


def _kernels_with_run_codes(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (kernel, code of a run that does not pass)."""
    family = _unit_families(chosen)
    is_of_kernel = family.c.unit == KERNEL.c.unit
    is_of_family = RUN.c.unit == family.c.built
    has_failed = RUN.c.exe_status.not_in(PASSING_STATUSES)

    return (
        select(KERNEL.c.id, RUN.c.exe_code)
        .join_from(KERNEL, family, is_of_kernel)
        .join(RUN, is_of_family)
        .where(is_newest_run(RUN), has_failed)
        .where(chosen)
    )


def _kernels_with_blockers(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (kernel, code of what blocks a port of its unit)."""
    is_of_unit = PORT_BLOCKER.c.unit == KERNEL.c.unit
    kernels = select(KERNEL.c.id, PORT_BLOCKER.c.code)
    kernels = kernels.join_from(KERNEL, PORT_BLOCKER, is_of_unit)

    return kernels.where(chosen)


def _unit_families(chosen: ColumnElement[bool]) -> Subquery:
    """Return the query for (unit, built): each unit with itself and with each of its ports."""
    # a port is a unit too, and has builds and runs of its own
    unit = KERNEL.c.unit
    has_unit = unit != ""
    own = select(unit, unit.label("built")).where(chosen, has_unit)

    chosen_units = select(unit).where(chosen)
    ported = select(PORT.c.unit, PORT.c.ported)
    ported = ported.where(PORT.c.unit.in_(chosen_units))

    return union(own, ported).subquery("family")
