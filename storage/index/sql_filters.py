"""Translate query terms to SQL conditions with bound parameters."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, false, or_, select, true, type_coerce

from storage.database.base import BIG_INTEGER
from storage.index.derived_values import PASSING_STATUSES
from storage.index.glob import Glob
from storage.index.query_language import FieldKind, Term
from storage.tables import (
    CaseSuite,
    KernelDefinition,
    KernelInstantiation,
    KernelTag,
    Port,
    PortBlocker,
    UnitBuild,
    UnitRun,
    table,
)

KERNEL: Final = table(KernelDefinition)
TAG: Final = table(KernelTag)
INSTANTIATION: Final = table(KernelInstantiation)
PORT: Final = table(Port)
BLOCKER: Final = table(PortBlocker)
BUILD: Final = table(UnitBuild)
RUN: Final = table(UnitRun)
SUITE: Final = table(CaseSuite)

_COLUMNS: Final[dict[str, ColumnElement[Any]]] = {
    **{column.name: column for column in KERNEL.columns},
    "commit": KERNEL.c.pinned,
    "digest": KERNEL.c.unit,
    "lines": KERNEL.c.end_line - KERNEL.c.line + 1,
}
_COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def query_conditions(terms: Iterable[Term]) -> tuple[ColumnElement[bool], ...]:
    """Return what a row of the kernel table must fulfil."""
    return tuple(
        ~_condition(term) if term.negated else _condition(term) for term in terms
    )


def _condition(term: Term) -> ColumnElement[bool]:
    if term.field.kind is FieldKind.VERDICT:
        return _verdict(term)
    if term.field.kind is FieldKind.MANY:
        return or_(*(member(term) for member in _MEMBERS[term.field.name]))
    column = _COLUMNS[term.field.name]
    if term.field.kind is FieldKind.NUMBER:
        # any number may be asked for, whatever the column holds
        column = type_coerce(column, BIG_INTEGER)
    if term.operator != "=":
        condition: ColumnElement[bool] = _COMPARE[term.operator](column, term.values[0])
        return condition
    return _any_of(column, term)


def _any_of(column: ColumnElement[Any], term: Term) -> ColumnElement[bool]:
    exact = [
        value.pieces[0] if isinstance(value, Glob) else value
        for value in term.values
        if _is_exact(value)
    ]
    globs = [
        value for value in term.values if isinstance(value, Glob) and not value.is_exact
    ]
    return or_(
        column.in_(exact) if exact else false(),
        *(column.ilike(glob.like_pattern(), escape="\\") for glob in globs),
    )


def _is_exact(value: Glob | int | bool) -> bool:
    return not isinstance(value, Glob) or value.is_exact


def is_newest_build(build: Any) -> ColumnElement[bool]:
    """Tell a unit's newest build on a target, by whatever toolchain."""
    newer = BUILD.alias("newer")
    same = newer.c.unit == build.c.unit, newer.c.target == build.c.target
    return ~select(newer.c.id).where(*same, newer.c.id > build.c.id).exists()


def is_newest_run(run: Any) -> ColumnElement[bool]:
    """Tell a unit's newest run on a device, by whatever toolchain."""
    newer = RUN.alias("newer_run")
    same = newer.c.unit == run.c.unit, newer.c.device == run.c.device
    return ~select(newer.c.id).where(*same, newer.c.id > run.c.id).exists()


def _current() -> ColumnElement[bool]:
    return and_(_in_family(BUILD), is_newest_build(BUILD))


def _in_family(built: Any) -> ColumnElement[bool]:
    """Tell what is of the kernel's unit, or of a port of it."""
    ported = select(PORT.c.ported).where(PORT.c.unit == KERNEL.c.unit).correlate(KERNEL)
    return or_(built.c.unit == KERNEL.c.unit, built.c.unit.in_(ported))


def is_foremost_run() -> ColumnElement[bool]:
    """Tell the run that speaks for a kernel and a device: the newest of its own unit, else that
    of its first port.
    """
    other = RUN.alias("other_run")
    before = or_(other.c.unit == KERNEL.c.unit, other.c.unit < RUN.c.unit)
    found = select(other.c.id).where(
        other.c.device == RUN.c.device, _in_family(other), before
    )
    first = or_(RUN.c.unit == KERNEL.c.unit, ~found.correlate(KERNEL, RUN).exists())
    return and_(_in_family(RUN), is_newest_run(RUN), first)


def _verdict(term: Term) -> ColumnElement[bool]:
    if term.field.name == "pass_call":
        found = select(BUILD.c.id).where(_current(), _any_of(BUILD.c.status, term))
        return found.where(_target(BUILD.c.target, term)).exists()
    status = RUN.c.exe_status if term.field.name == "pass_exe" else RUN.c.perf_status
    told = select(RUN.c.id).where(is_foremost_run(), status != "")
    return told.where(_any_of(status, term), _target(RUN.c.device, term)).exists()


def _target(column: ColumnElement[str], term: Term) -> ColumnElement[bool]:
    return column == term.target if term.target else true()


def _tags(term: Term) -> ColumnElement[bool]:
    return KERNEL.c.id.in_(select(TAG.c.kernel).where(_any_of(TAG.c.tag, term)))


def _instantiations(term: Term) -> ColumnElement[bool]:
    labels = INSTANTIATION.c.label
    return KERNEL.c.id.in_(
        select(INSTANTIATION.c.kernel).where(_any_of(labels, term), labels != "")
    )


def _ports(term: Term) -> ColumnElement[bool]:
    return KERNEL.c.unit.in_(select(PORT.c.unit).where(_any_of(PORT.c.ported, term)))


def _waves(term: Term) -> ColumnElement[bool]:
    return KERNEL.c.unit.in_(
        select(PORT.c.unit).where(_any_of(PORT.c.wave, term), PORT.c.wave != "")
    )


def _problem(term: Term) -> ColumnElement[bool]:
    return and_(KERNEL.c.unit_problem != "", _any_of(KERNEL.c.unit_problem, term))


def _blockers(term: Term) -> ColumnElement[bool]:
    return KERNEL.c.unit.in_(
        select(BLOCKER.c.unit).where(_any_of(BLOCKER.c.code, term))
    )


def _build_codes(term: Term) -> ColumnElement[bool]:
    failed = and_(BUILD.c.status.not_in(PASSING_STATUSES), BUILD.c.code != "")
    return (
        select(BUILD.c.id)
        .where(_current(), failed, _any_of(BUILD.c.code, term))
        .exists()
    )


def _run_codes(term: Term) -> ColumnElement[bool]:
    failed = and_(RUN.c.exe_status.not_in(PASSING_STATUSES), RUN.c.exe_code != "")
    found = select(RUN.c.id).where(
        _in_family(RUN), is_newest_run(RUN), failed, _any_of(RUN.c.exe_code, term)
    )
    return found.exists()


_MEMBERS: Final[dict[str, tuple[Callable[[Term], ColumnElement[bool]], ...]]] = {
    "tag": (_tags,),
    "instantiation": (_instantiations,),
    "port": (_ports,),
    "wave": (_waves,),
    "reasons": (_problem, _blockers, _build_codes, _run_codes),
}
