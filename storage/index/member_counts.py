"""Count in SQL the values of fields that lie in several tables, a kernel once for each."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    func,
    literal,
    select,
    true,
    union,
)

from crawler.model import Status
from storage.index.derived_values import PASSING_STATUSES
from storage.index.newest_verdicts import (
    is_current_build,
    is_current_run,
    is_foremost_run,
    is_speaking_run,
)
from storage.tables import BUILD, INSTANTIATION, KERNEL, PORT, PORT_BLOCKER, RUN

_HAS_PORT: Final = PORT.c.unit == KERNEL.c.unit
_HAS_BLOCKER: Final = PORT_BLOCKER.c.unit == KERNEL.c.unit
_FAILED_BUILD: Final = and_(is_current_build(), BUILD.c.status.not_in(PASSING_STATUSES))
_FAILED_RUN: Final = and_(is_current_run(), RUN.c.exe_status.not_in(PASSING_STATUSES))

MEMBER_VALUES: Final[
    dict[str, tuple[tuple[ColumnElement[str], ColumnElement[bool]], ...]]
] = {
    "port": ((PORT.c.ported, _HAS_PORT),),
    "wave": ((PORT.c.wave, _HAS_PORT),),
    "reasons": (
        (KERNEL.c.unit_problem, true()),
        (PORT_BLOCKER.c.code, _HAS_BLOCKER),
        (BUILD.c.code, _FAILED_BUILD),
        (RUN.c.exe_code, _FAILED_RUN),
    ),
}
"""Field to where its values stand: each column with the condition that its row is the kernel's."""


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
    run = select(
        KERNEL.c.id.label("kernel"),
        RUN.c.exe_status.label("value"),
        RUN.c.device.label("place"),
    ).where(
        is_speaking_run(RUN),
        is_own,
        RUN.c.instantiation == INSTANTIATION.c.label,
        is_asked_for,
        chosen,
    )

    own_run = RUN.alias("own_run")
    is_run = select(own_run.c.id).where(
        is_speaking_run(own_run),
        own_run.c.device == RUN.c.device,
        own_run.c.instantiation == INSTANTIATION.c.label,
    )
    not_run = select(
        KERNEL.c.id.label("kernel"),
        literal(Status.NOT_RUN.value).label("value"),
        RUN.c.device.label("place"),
    ).where(
        is_foremost_run(),
        is_own,
        ~is_run.correlate(KERNEL, RUN, INSTANTIATION).exists(),
        is_asked_for,
        chosen,
    )

    triples = union(run, not_run).subquery()
    columns = triples.c.value, triples.c.place
    counts: Select[Any] = select(*columns, func.count())
    return counts.group_by(*columns)
