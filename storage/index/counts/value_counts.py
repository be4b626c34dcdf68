"""Count in SQL how many kernels have each value of a field."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    func,
    literal,
    select,
    true,
)

from crawler.model import ReviewState
from storage.index.counts.member_counts import (
    MEMBER_VALUES,
    select_instantiation_counts,
    select_member_counts,
    select_verdict_counts,
)
from storage.index.derived_values import CLASS_TAG_PREFIX
from storage.index.newest_verdicts import iter_current_builds, iter_foremost_runs
from storage.index.query.sql_conditions import COLUMNS, RUN_COLUMNS
from storage.index.query.terms import Field, FieldKind
from storage.kernel_counts import ValueCount
from storage.tables import (
    BUILD,
    DEFINITION,
    INSTANTIATION,
    KERNEL,
    KERNEL_OPERATOR,
    KERNEL_TAG,
    REVIEW_STATE,
    RUN,
)

_BUILD_COLUMNS: Final = {
    "pass_call": BUILD.c.status,
    "fidelity": BUILD.c.fidelity,
}
_DETAIL_COLUMNS: Final = {
    "tag": (KERNEL_TAG.c.kernel, KERNEL_TAG.c.tag),
    "operator": (KERNEL_OPERATOR.c.kernel, KERNEL_OPERATOR.c.name),
    "instantiation": (INSTANTIATION.c.kernel, INSTANTIATION.c.label),
}
"""Of fields with many values: the kernel's id, and the value."""


def select_value_counts(
    field: Field, target: str, is_chosen: ColumnElement[bool] | None = None
) -> Select[Any]:
    """Return the query for (value, target, kernels) of a field over the chosen kernels, or all."""
    chosen = true() if is_chosen is None else is_chosen
    # where no kernel can be met twice, nothing has to be remembered of those that were
    met_once = func.count()
    no_target = literal("")
    if field.kind is FieldKind.VERDICT:
        return _select_verdict_counts(field.name, target, chosen)

    if field.name == "near_cluster":
        value: ColumnElement[Any] = func.coalesce(DEFINITION.c.near_cluster, "")
        is_own = DEFINITION.c.digest == KERNEL.c.definition
        joined = KERNEL.outerjoin(DEFINITION, is_own)
        statement = select(value, no_target, met_once).select_from(joined)
        return statement.where(chosen).group_by(value)

    if field.name == "review":
        unreviewed = ReviewState.UNREVIEWED.value
        value = func.coalesce(REVIEW_STATE.c.state, unreviewed)
        joined = KERNEL.outerjoin(REVIEW_STATE, REVIEW_STATE.c.unit == KERNEL.c.unit)
        statement = select(value, no_target, met_once).select_from(joined)
        return statement.where(chosen).group_by(value)

    if field.name == "class":
        length = len(CLASS_TAG_PREFIX)
        value = func.substr(KERNEL_TAG.c.tag, length + 1)
        is_class = func.substr(KERNEL_TAG.c.tag, 1, length) == CLASS_TAG_PREFIX
        is_own = and_(_is_own(KERNEL_TAG.c.kernel, is_chosen), is_class)
        return select(value, no_target, met_once).where(is_own, chosen).group_by(value)

    if field.name in _DETAIL_COLUMNS:
        owner, value = _DETAIL_COLUMNS[field.name]
        # a plain kernel's only instantiation has no label
        has_value = true() if field.name == "tag" else value != ""
        is_own = and_(_is_own(owner, is_chosen), has_value)
        # a kernel has a tag or an operator once
        kernels = met_once
        if field.name == "instantiation":
            kernels = func.count(owner.distinct())
        return select(value, no_target, kernels).where(is_own, chosen).group_by(value)

    if field.name in MEMBER_VALUES:
        return select_member_counts(field.name, chosen)

    value = COLUMNS[field.name]
    return select(value, no_target, met_once).where(chosen).group_by(value)


def _is_own(
    owner: ColumnElement[int], is_chosen: ColumnElement[bool] | None
) -> ColumnElement[bool]:
    """Return the condition that a row is one of a kernel; each is, where all kernels count."""
    return true() if is_chosen is None else owner == KERNEL.c.id


def _select_verdict_counts(
    name: str, target: str, chosen: ColumnElement[bool]
) -> Select[Any]:
    if name == "instantiation_exe":
        return select_instantiation_counts(target, chosen)

    if name in _BUILD_COLUMNS:
        value: ColumnElement[str] = _BUILD_COLUMNS[name]
        place: ColumnElement[str] = BUILD.c.target
        links = iter_current_builds()
    else:
        value = RUN_COLUMNS[name]
        place = RUN.c.device
        links = iter_foremost_runs()

    is_asked_for = place == target if target else true()
    # empty where nothing was measured
    return select_verdict_counts(value, place, links, value != "", is_asked_for, chosen)


def read_value_counts(
    connection: Connection, statement: Select[Any], kind: FieldKind
) -> list[ValueCount]:
    """Return the counts that a query gives, the most frequent first."""
    counts = [
        ValueCount(value=_spell(value, kind), target=target, kernels=kernels)
        for value, target, kernels in connection.execute(statement)
    ]
    return sort_value_counts(counts)


def sort_value_counts(counts: list[ValueCount]) -> list[ValueCount]:
    """Return counts in their order: the most frequent first, equal ones by value and target."""
    return sorted(counts, key=lambda count: (-count.kernels, count.value, count.target))


def _spell(value: Any, kind: FieldKind) -> str:
    if kind is FieldKind.FLAG:
        return "true" if value else "false"
    return str(value)
