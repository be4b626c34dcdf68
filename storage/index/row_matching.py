"""Evaluate query terms on rows in memory."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Final

from storage.index.glob import Glob
from storage.index.query_language import FieldKind, Term
from storage.interfaces import KernelRow

_COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def matches_terms(row: KernelRow, terms: Iterable[Term]) -> bool:
    """Tell whether every term holds for `row`."""
    return all(_holds(row, term) != term.negated for term in terms)


def _holds(row: KernelRow, term: Term) -> bool:
    if term.field.kind in {FieldKind.NUMBER, FieldKind.FLAG}:
        found = (
            row.end_line - row.line + 1
            if term.field.name == "lines"
            else getattr(row, term.field.name)
        )
        return any(
            _COMPARE[term.operator](found, value)
            for value in term.values
            if not isinstance(value, Glob)
        )
    return any(
        value.matches(text)
        for text in _texts(row, term)
        for value in term.values
        if isinstance(value, Glob)
    )


def _texts(row: KernelRow, term: Term) -> Iterable[str]:
    held = getattr(row, term.field.row_attribute or term.field.name)
    if term.field.kind is FieldKind.TEXT:
        return (held,)
    if term.field.kind is FieldKind.MANY:
        return tuple(held)
    return tuple(
        status for target, status in held.items() if term.target in {"", target}
    )
