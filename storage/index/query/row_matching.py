"""Evaluate query terms on rows in memory."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Final

from storage.index.query.fields import FieldKind, Term
from storage.index.query.glob import Glob
from storage.interfaces import KernelRow

_COMPARISONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def matches_terms(row: KernelRow, terms: Iterable[Term]) -> bool:
    """Return whether every term holds for `row`."""
    return all(_holds(row, term) != term.negated for term in terms)


def _holds(row: KernelRow, term: Term) -> bool:
    if term.field.kind in {FieldKind.NUMBER, FieldKind.FLAG}:
        return _number_holds(_number_of(row, term), term)
    texts = _texts_of(row, term)
    globs = [value for value in term.values if isinstance(value, Glob)]
    return any(glob.matches(text) for text in texts for glob in globs)


def _number_of(row: KernelRow, term: Term) -> int:
    if term.field.name == "lines":
        return row.end_line - row.line + 1
    number: int = getattr(row, term.field.name)
    return number


def _number_holds(number: int, term: Term) -> bool:
    compare = _COMPARISONS[term.operator]
    numbers = (value for value in term.values if not isinstance(value, Glob))
    return any(compare(number, value) for value in numbers)


def _texts_of(row: KernelRow, term: Term) -> Iterable[str]:
    field = term.field
    value = getattr(row, field.row_attribute or field.name)
    if field.kind is FieldKind.TEXT:
        return (value,)
    if field.kind is FieldKind.MANY:
        return tuple(value)

    # a verdict: target or device to status
    return tuple(
        status for target, status in value.items() if term.target in {"", target}
    )
