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
from storage.index.query.column_conditions import equals_any
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
    kernels = select(KERNEL_TAG.c.kernel).where(is_equal)
    return KERNEL.c.id.in_(kernels)


def _has_class(term: Term) -> _Condition:
    values = tuple(
        Glob((CLASS_TAG_PREFIX + value.pieces[0], *value.pieces[1:]))
        for value in term.values
        if isinstance(value, Glob)
    )
    return _has_tag(replace(term, values=values))


def _has_operator(term: Term) -> _Condition:
    is_equal = equals_any(KERNEL_OPERATOR.c.name, term)
    kernels = select(KERNEL_OPERATOR.c.kernel).where(is_equal)
    return KERNEL.c.id.in_(kernels)


def _has_instantiation(term: Term) -> _Condition:
    label = INSTANTIATION.c.label
    # a plain kernel's only instantiation has no label
    has_label = label != ""
    is_equal = equals_any(label, term)
    kernels = select(INSTANTIATION.c.kernel).where(is_equal, has_label)

    return KERNEL.c.id.in_(kernels)


def _has_port(term: Term) -> _Condition:
    is_equal = equals_any(PORT.c.ported, term)
    units = select(PORT.c.unit).where(is_equal)
    return KERNEL.c.unit.in_(units)


def _has_wave(term: Term) -> _Condition:
    # empty where a port does not say
    has_wave = PORT.c.wave != ""
    is_equal = equals_any(PORT.c.wave, term)
    units = select(PORT.c.unit).where(is_equal, has_wave)

    return KERNEL.c.unit.in_(units)


def _has_unit_problem(term: Term) -> _Condition:
    problem = KERNEL.c.unit_problem
    return and_(problem != "", equals_any(problem, term))


def _has_blocker(term: Term) -> _Condition:
    is_equal = equals_any(PORT_BLOCKER.c.code, term)
    units = select(PORT_BLOCKER.c.unit).where(is_equal)
    return KERNEL.c.unit.in_(units)


def _has_build_code(term: Term) -> _Condition:
    has_failed = BUILD.c.status.not_in(PASSING_STATUSES)
    has_code = BUILD.c.code != ""
    is_equal = equals_any(BUILD.c.code, term)
    return exists_in_any(BUILD, iter_current_builds(), has_failed, has_code, is_equal)


def _has_run_code(term: Term) -> _Condition:
    has_failed = RUN.c.exe_status.not_in(PASSING_STATUSES)
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
