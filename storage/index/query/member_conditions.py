"""Translate terms on fields of many values, which lie in tables of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sqlalchemy import ColumnElement, and_, select

from storage.index.derived_values import CLASS_TAG_PREFIX, PASSING_STATUSES
from storage.index.newest_verdicts import (
    exists_in_any,
    iter_current_builds,
    iter_current_runs,
)
from storage.index.query.column_conditions import equals_any, without_index
from storage.index.query.glob import Glob
from storage.index.query.terms import Term
from storage.tables import (
    BUILD,
    INSTANTIATION,
    KERNEL,
    KERNEL_OPERATOR,
    KERNEL_TAG,
    PORT,
    PORT_BLOCKER,
    RUN,
)

_Condition = ColumnElement[bool]


def _has_tag(term: Term) -> _Condition:
    is_equal = equals_any(KERNEL_TAG.c.tag, term)
    return _has_row(KERNEL_TAG.c.kernel, is_equal)


def _has_row(owner: ColumnElement[int], *conditions: _Condition) -> _Condition:
    # asked of one kernel after the other, in whatever order they are gone through
    is_own = owner == KERNEL.c.id
    rows = select(owner).where(is_own, *conditions)
    return rows.correlate(KERNEL).exists()


def _has_class(term: Term) -> _Condition:
    return _has_tag(to_class_tags(term))


def to_class_tags(term: Term) -> Term:
    """Return the term on tags that asks for the classes of a term."""
    values = tuple(
        Glob((CLASS_TAG_PREFIX + value.pieces[0], *value.pieces[1:]))
        for value in term.values
        if isinstance(value, Glob)
    )
    return replace(term, values=values)


def _has_operator(term: Term) -> _Condition:
    is_equal = equals_any(KERNEL_OPERATOR.c.name, term)
    return _has_row(KERNEL_OPERATOR.c.kernel, is_equal)


def _has_instantiation(term: Term) -> _Condition:
    label = INSTANTIATION.c.label
    # a plain kernel's only instantiation has no label
    has_label = label != ""
    is_equal = equals_any(label, term)
    return _has_row(INSTANTIATION.c.kernel, is_equal, has_label)


def _has_port(term: Term) -> _Condition:
    is_equal = equals_any(PORT.c.ported, term)
    return _has_row_of_unit(PORT.c.unit, is_equal)


def _has_wave(term: Term) -> _Condition:
    # empty where a port does not say
    has_wave = PORT.c.wave != ""
    is_equal = equals_any(PORT.c.wave, term)
    return _has_row_of_unit(PORT.c.unit, is_equal, has_wave)


def _has_row_of_unit(unit: ColumnElement[str], *conditions: _Condition) -> _Condition:
    is_own = unit == KERNEL.c.unit
    rows = select(unit).where(is_own, *conditions)
    return rows.correlate(KERNEL).exists()


def _has_unit_problem(term: Term) -> _Condition:
    problem = KERNEL.c.unit_problem
    return and_(problem != "", equals_any(problem, term))


def _has_blocker(term: Term) -> _Condition:
    is_equal = equals_any(PORT_BLOCKER.c.code, term)
    return _has_row_of_unit(PORT_BLOCKER.c.unit, is_equal)


def _has_build_code(term: Term) -> _Condition:
    has_failed = without_index(BUILD.c.status).not_in(PASSING_STATUSES)
    has_code = BUILD.c.code != ""
    is_equal = equals_any(BUILD.c.code, term)
    return exists_in_any(BUILD, iter_current_builds(), has_failed, has_code, is_equal)


def _has_run_code(term: Term) -> _Condition:
    has_failed = without_index(RUN.c.exe_status).not_in(PASSING_STATUSES)
    has_code = RUN.c.exe_code != ""
    is_equal = equals_any(RUN.c.exe_code, term)
    return exists_in_any(RUN, iter_current_runs(), has_failed, has_code, is_equal)


# in any of them, for a field whose values lie in several tables
MEMBER_CONDITIONS: Final[dict[str, tuple[Callable[[Term], _Condition], ...]]] = {
    "tag": (_has_tag,),
    "class": (_has_class,),
    "operator": (_has_operator,),
    "instantiation": (_has_instantiation,),
    "port": (_has_port,),
    "wave": (_has_wave,),
    "reasons": (_has_unit_problem, _has_blocker, _has_build_code, _has_run_code),
}
