"""Count kernels, units and verdicts in SQL, with all that a report of a crawl says of them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    Subquery,
    and_,
    func,
    select,
    true,
    union,
)

from crawler.model import Status
from storage.index.counts.step_totals import (
    build_counts,
    count_steps,
    read_statuses,
    rows_of_runs,
    run_counts,
    unit_count_in,
)
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
    steps = count_steps(connection, condition)
    classified = connection.scalar(unit_count_in(PORT_BLOCKER, chosen))
    by_layer = _read_counts(connection, _kernels_by_layer(chosen))
    fidelity = read_statuses(connection, build_counts(chosen, BUILD.c.fidelity))
    extents = read_statuses(connection, run_counts(chosen, RUN.c.extents))
    strength = read_statuses(connection, run_counts(chosen, RUN.c.strength))
    mutants_killed = summarise_shares(
        (unit, device, killed / mutants)
        for unit, device, killed, mutants in connection.execute(_mutants(chosen))
    )
    instantiations = read_statuses(connection, _instantiation_statuses(chosen))
    reasons = _read_counts(connection, _kernels_by_reason(chosen))

    return Totals(
        files=steps.files,
        by_layer=by_layer,
        units=steps.units,
        ported=steps.ported,
        classified=classified or 0,
        compiled=steps.compiled,
        fidelity=fidelity,
        ran=steps.ran,
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


def _kernels_by_layer(chosen: ColumnElement[bool]) -> Select[Any]:
    layer = KERNEL.c.found_by
    counted = select(layer, func.count()).where(chosen)
    return counted.group_by(layer).order_by(layer)


def _mutants(chosen: ColumnElement[bool]) -> CompoundSelect[Any]:
    """Return the query for (unit, device, mutants that were told, mutants)."""
    return rows_of_runs(
        iter_foremost_runs(),
        (KERNEL.c.unit, RUN.c.device, RUN.c.killed, RUN.c.mutants),
        (chosen, RUN.c.mutants > 0),
    )


def _instantiation_statuses(chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (device, status, number of instantiations of units)."""
    is_of_kernel = INSTANTIATION.c.kernel == KERNEL.c.id
    labelled_runs = rows_of_runs(
        iter_foremost_runs(),
        (KERNEL.c.unit, RUN.c.device, INSTANTIATION.c.label),
        (chosen, is_of_kernel),
    ).subquery("wanted")
    tried = rows_of_runs(
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
