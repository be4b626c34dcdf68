"""Count in SQL the values of fields that lie in several tables, a kernel once for each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    func,
    literal,
    or_,
    select,
    true,
    union,
)

from crawler.model import Status
from storage.index.derived_values import PASSING_STATUSES
from storage.index.newest_verdicts import (
    OWN_RUN,
    iter_current_builds,
    iter_current_runs,
    iter_foremost_runs,
    iter_speaking_runs,
)
from storage.tables import BUILD, INSTANTIATION, KERNEL, PORT, PORT_BLOCKER, RUN

_HAS_PORT: Final = PORT.c.unit == KERNEL.c.unit
_HAS_BLOCKER: Final = PORT_BLOCKER.c.unit == KERNEL.c.unit
_HAS_FAILED_BUILD: Final = BUILD.c.status.not_in(PASSING_STATUSES)
_HAS_FAILED_RUN: Final = RUN.c.exe_status.not_in(PASSING_STATUSES)

MEMBER_VALUES: Final[
    dict[str, tuple[tuple[ColumnElement[str], ColumnElement[bool]], ...]]
] = {
    "port": ((PORT.c.ported, _HAS_PORT),),
    "wave": ((PORT.c.wave, _HAS_PORT),),
    "reasons": (
        (KERNEL.c.unit_problem, true()),
        (PORT_BLOCKER.c.code, _HAS_BLOCKER),
        *(
            (BUILD.c.code, and_(is_current, _HAS_FAILED_BUILD))
            for is_current in iter_current_builds()
        ),
        *(
            (RUN.c.exe_code, and_(is_current, _HAS_FAILED_RUN))
            for is_current in iter_current_runs()
        ),
    ),
}
"""Field to where its values stand: each column with the condition that its row is the kernel's."""


def select_verdict_counts(
    value: ColumnElement[str],
    place: ColumnElement[str],
    links: Iterable[ColumnElement[bool]],
    *conditions: ColumnElement[bool],
) -> Select[Any]:
    """Return the query for (value, place, kernels) of verdicts to which one of the links leads."""
    return _count_kernels(
        select(
            KERNEL.c.id.label("kernel"), value.label("value"), place.label("place")
        ).where(link, *conditions)
        for link in links
    )


def select_member_counts(name: str, chosen: ColumnElement[bool]) -> Select[Any]:
    """Return the query for (value, target, kernels) of one of `MEMBER_VALUES`."""
    # a union leaves out what a kernel has twice
    pairs = union(
        *(
            select(KERNEL.c.id.label("kernel"), value.label("value")).where(
                is_own, value != "", chosen
            )
            for value, is_own in MEMBER_VALUES[name]
        )
    ).subquery()
    counts: Select[Any] = select(pairs.c.value, literal(""), func.count())
    return counts.group_by(pairs.c.value)


def select_instantiation_counts(
    target: str, chosen: ColumnElement[bool]
) -> Select[Any]:
    """Return the query for (status, device, kernels) of kernels of which some instantiation has
    the status; `not-run` where others of the kernel were run on the device.
    """
    is_asked_for = RUN.c.device == target if target else true()
    is_own = INSTANTIATION.c.kernel == KERNEL.c.id
    status, device = RUN.c.exe_status.label("value"), RUN.c.device.label("place")
    kernel = KERNEL.c.id.label("kernel")
    is_label = RUN.c.instantiation == INSTANTIATION.c.label
    run = [
        select(kernel, status, device).where(
            is_speaking, is_own, is_label, is_asked_for, chosen
        )
        for is_speaking in iter_speaking_runs(RUN)
    ]

    is_run = or_(
        *(
            select(OWN_RUN.c.id)
            .where(
                is_speaking,
                OWN_RUN.c.device == RUN.c.device,
                OWN_RUN.c.instantiation == INSTANTIATION.c.label,
            )
            .correlate(KERNEL, RUN, INSTANTIATION)
            .exists()
            for is_speaking in iter_speaking_runs(OWN_RUN)
        )
    )
    not_run_status = literal(Status.NOT_RUN.value).label("value")
    not_run = [
        select(kernel, not_run_status, device).where(
            is_foremost, is_own, ~is_run, is_asked_for, chosen
        )
        for is_foremost in iter_foremost_runs()
    ]
    return _count_kernels([*run, *not_run])


def _count_kernels(selects: Iterable[Select[Any]]) -> Select[Any]:
    """Return the query for (value, place, kernels) of the union of (kernel, value, place)."""
    # a union leaves out what a kernel has twice
    triples = union(*selects).subquery()
    columns = triples.c.value, triples.c.place
    counts: Select[Any] = select(*columns, func.count())
    return counts.group_by(*columns)
