"""Translate the values of a term to a condition on one column."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, false, or_, true
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from storage.index.query.glob import Glob
from storage.index.query.terms import Range, Term

_Condition = ColumnElement[bool]


class _Unindexed(FunctionElement[Any]):
    inherit_cache = True


@compiles(_Unindexed)
def _compile_unindexed(element: Any, compiler: Any, **options: Any) -> str:
    return str(compiler.process(element.clauses, **options))


@compiles(_Unindexed, "sqlite")
def _compile_for_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return f"+{compiler.process(element.clauses, **options)}"


def without_index(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a column whose index SQLite is not to begin with; see `candidates`."""
    element = _Unindexed(column)
    element.type = column.type
    return element


def equals_any(column: ColumnElement[Any], term: Term) -> _Condition:
    """Return the condition that `column` equals or matches one of the term's values."""
    # exact values share one IN; each pattern needs a LIKE of its own
    exact: list[str | int | bool] = []
    patterns: list[_Condition] = []

    for value in term.values:
        if isinstance(value, Range):
            patterns.append(_is_in_range(column, value))
        elif not isinstance(value, Glob):
            exact.append(value)
        elif value.is_exact:
            exact.append(value.pieces[0])
        else:
            patterns.append(column.ilike(value.like_pattern(), escape="\\"))

    return or_(column.in_(exact) if exact else false(), *patterns)


def _is_in_range(column: ColumnElement[Any], numbers: Range) -> _Condition:
    ends: list[_Condition] = []
    if numbers.least is not None:
        ends.append(column >= numbers.least)
    if numbers.greatest is not None:
        ends.append(column <= numbers.greatest)

    return and_(true(), *ends)
