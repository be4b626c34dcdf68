"""Translate conditions of the query language to SQL with bound parameters."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    and_,
    false,
    literal,
    or_,
    select,
    true,
    type_coerce,
)

from crawler.model import ReviewState, Status
from storage.database.base import BIG_INTEGER
from storage.index.newest_verdicts import (
    OWN_RUN,
    exists_in_any,
    is_foremost_run,
    is_speaking_run,
    iter_current_builds,
    iter_foremost_runs,
)
from storage.index.query.column_conditions import equals_any, without_index
from storage.index.query.conditions import Condition, Disjunction, Negation
from storage.index.query.glob import Glob
from storage.index.query.member_conditions import MEMBER_CONDITIONS
from storage.index.query.terms import FieldKind, Term
from storage.index.query.text_conditions import has_text
from storage.tables import (
    BUILD,
    DEFINITION,
    INSTANTIATION,
    KERNEL,
    REVIEW_STATE,
    RUN,
)

COLUMNS: Final[dict[str, ColumnElement[Any]]] = {
    **{column.name: column for column in KERNEL.columns},
    "commit": KERNEL.c.pinned,
    "digest": KERNEL.c.unit,
    "lines": KERNEL.c.end_line - KERNEL.c.line + 1,
}
RUN_COLUMNS: Final[dict[str, ColumnElement[str]]] = {
    "pass_exe": RUN.c.exe_status,
    "pass_perf": RUN.c.perf_status,
    "extents": RUN.c.extents,
    "oracle": RUN.c.oracle,
    "strength": RUN.c.strength,
}
_COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_Condition = ColumnElement[bool]
_REPETITIVE_COLUMNS: Final = frozenset({"licence", "licence_class"})


def render_condition(condition: Condition) -> _Condition:
    """Return what a row of the kernel table must meet."""
    if isinstance(condition, Term):
        return _term_condition(condition)
    if isinstance(condition, Negation):
        return ~render_condition(condition.operand)

    operands = map(render_condition, condition.operands)
    if isinstance(condition, Disjunction):
        return or_(false(), *operands)
    return and_(true(), *operands)


def _term_condition(term: Term) -> _Condition:
    field = term.field
    if field.kind is FieldKind.VERDICT:
        return _verdict_condition(term)

    if field.kind is FieldKind.WORDS:
        return has_text(term)

    if field.name == "near_cluster":
        return _near_cluster_condition(term)

    if field.name == "review":
        return _review_condition(term)

    if field.kind is FieldKind.MANY:
        members = MEMBER_CONDITIONS[field.name]
        return or_(*(condition_of(term) for condition_of in members))

    column = COLUMNS[field.name]
    if field.name in _REPETITIVE_COLUMNS:
        column = without_index(column)
    if field.kind is FieldKind.NUMBER:
        # the number in a query may be larger than the column's type
        column = type_coerce(column, BIG_INTEGER)

    if term.operator == "=":
        return equals_any(column, term)

    compared: _Condition = _COMPARISONS[term.operator](column, term.values[0])
    return compared


def _verdict_condition(term: Term) -> _Condition:
    if term.field.name == "pass_call":
        return _build_condition(term, BUILD.c.status)
    if term.field.name == "fidelity":
        return _build_condition(term, BUILD.c.fidelity)
    if term.field.name == "instantiation_exe":
        return _instantiation_condition(term)

    status = RUN_COLUMNS[term.field.name]
    # empty where no time was measured
    has_verdict = status != ""
    return exists_in_any(
        RUN,
        iter_foremost_runs(),
        has_verdict,
        equals_any(without_index(status), term),
        _has_target(RUN.c.device, term),
    )


def _near_cluster_condition(term: Term) -> _Condition:
    is_equal = equals_any(DEFINITION.c.near_cluster, term)
    is_own = DEFINITION.c.digest == KERNEL.c.definition
    definitions = select(DEFINITION.c.digest).where(is_own)
    definitions = definitions.correlate(KERNEL)
    is_in_cluster = definitions.where(is_equal).exists()

    # a kernel without a text, of which there is no row
    matches_empty = any(
        isinstance(value, Glob) and value.matches("") for value in term.values
    )
    if not matches_empty:
        return is_in_cluster

    return or_(is_in_cluster, ~definitions.exists())


def _review_condition(term: Term) -> _Condition:
    state = REVIEW_STATE.c.state
    is_equal = equals_any(state, term)
    is_own = REVIEW_STATE.c.unit == KERNEL.c.unit
    reviewed = select(REVIEW_STATE.c.unit).where(is_own).correlate(KERNEL)
    in_such_state = reviewed.where(is_equal).exists()

    # of which there is no row
    unreviewed = ReviewState.UNREVIEWED.value
    matches_unreviewed = any(
        isinstance(value, Glob) and value.matches(unreviewed) for value in term.values
    )
    if not matches_unreviewed:
        return in_such_state
    return or_(in_such_state, ~reviewed.exists())


def _instantiation_condition(term: Term) -> _Condition:
    """Return the condition that some instantiation of the kernel has such a verdict."""
    own = INSTANTIATION.c
    is_of_kernel = own.kernel == KERNEL.c.id
    labels = select(own.label).where(is_of_kernel).correlate(KERNEL)
    has_status = select(RUN.c.id).where(
        is_speaking_run(RUN),
        equals_any(without_index(RUN.c.exe_status), term),
        _has_target(RUN.c.device, term),
        RUN.c.instantiation.in_(labels),
    )

    # which no row says: nobody ran it where others of its kernel were run
    is_run = select(OWN_RUN.c.id).where(
        is_speaking_run(OWN_RUN),
        OWN_RUN.c.device == RUN.c.device,
        OWN_RUN.c.instantiation == own.label,
    )
    not_run = select(RUN.c.id).where(
        equals_any(literal(Status.NOT_RUN.value), term),
        is_foremost_run(),
        _has_target(RUN.c.device, term),
        own.kernel == KERNEL.c.id,
        ~is_run.correlate(KERNEL, RUN, INSTANTIATION).exists(),
    )

    return or_(
        has_status.correlate(KERNEL).exists(), not_run.correlate(KERNEL).exists()
    )


def _build_condition(term: Term, column: ColumnElement[str]) -> _Condition:
    # empty where a build says nothing of it
    has_value = column != ""
    return exists_in_any(
        BUILD,
        iter_current_builds(),
        has_value,
        # the unit leads to few builds, the status to half of all
        equals_any(without_index(column), term),
        _has_target(BUILD.c.target, term),
    )


def _has_target(column: ColumnElement[str], term: Term) -> _Condition:
    if not term.target:
        return true()

    return without_index(column) == term.target
