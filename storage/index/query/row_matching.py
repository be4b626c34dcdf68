"""Evaluate conditions of the query language on rows in memory."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from storage.index.derived_values import CLASS_TAG_PREFIX
from storage.index.kernel_rows.text_words import read_phrase
from storage.index.query.conditions import Condition, Disjunction, Negation
from storage.index.query.glob import Glob
from storage.index.query.terms import Field, FieldKind, Range, Term
from storage.interfaces import KernelRow
from storage.kernel_counts import ValueCount

_COMPARISONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def matches(row: KernelRow, condition: Condition, words: Sequence[str] = ()) -> bool:
    """Return whether a condition holds for `row`, whose kernel's text has `words`."""
    if isinstance(condition, Term):
        return _holds(row, condition, words)
    if isinstance(condition, Negation):
        return not matches(row, condition.operand, words)

    operands = (matches(row, operand, words) for operand in condition.operands)
    return any(operands) if isinstance(condition, Disjunction) else all(operands)


def _holds(row: KernelRow, term: Term, words: Sequence[str]) -> bool:
    if term.field.kind is FieldKind.WORDS:
        values = (value for value in term.values if isinstance(value, Glob))
        phrases = map(read_phrase, values)
        return any(phrase.is_in(words) for phrase in phrases if phrase)

    if term.field.kind in {FieldKind.NUMBER, FieldKind.FLAG}:
        number = _number_of(row, term)
        return _number_holds(number, term)

    texts = _texts_of(row, term)
    return any(_text_holds(text, term) for text in texts)


def _text_holds(text: str, term: Term) -> bool:
    for value in term.values:
        if isinstance(value, Glob) and value.matches(text):
            return True

    return False


def _number_of(row: KernelRow, term: Term) -> int:
    name = term.field.name
    if name == "lines":
        return row.end_line - row.line + 1

    number: int = getattr(row, name)
    return number


def _number_holds(number: int, term: Term) -> bool:
    compare = _COMPARISONS[term.operator]
    for value in term.values:
        if isinstance(value, Range):
            if value.holds(number):
                return True
        elif not isinstance(value, Glob) and compare(number, value):
            return True

    return False


def count_row_values(
    rows: Iterable[KernelRow], field: Field, target: str
) -> list[ValueCount]:
    """Return how many rows have each value of a field, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        # a kernel that has a value twice counts once
        counts.update(set(_iter_values(row, field, target)))

    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [
        ValueCount(value=value, target=place, kernels=kernels)
        for (value, place), kernels in ordered
    ]


def _texts_of(row: KernelRow, term: Term) -> Iterable[str]:
    return (text for text, _ in _iter_values(row, term.field, term.target))


def _iter_values(
    row: KernelRow, field: Field, wanted_target: str
) -> Iterator[tuple[str, str]]:
    """Yield (value, target) of a field; the target is empty for what is no verdict."""
    if field.name == "lines":
        yield str(row.end_line - row.line + 1), ""
        return

    value = getattr(row, field.row_attribute or field.name)
    if field.kind is FieldKind.FLAG:
        yield ("true" if value else "false"), ""
    elif field.kind is FieldKind.MANY:
        for text in value:
            if field.name != "class":
                yield text, ""
            elif text.startswith(CLASS_TAG_PREFIX):
                yield text.removeprefix(CLASS_TAG_PREFIX), ""
    elif field.kind is not FieldKind.VERDICT:
        yield str(value), ""
    else:
        yield from _iter_statuses(value, wanted_target)


def _iter_statuses(
    statuses: Mapping[str, str | Mapping[str, str]], wanted_target: str
) -> Iterator[tuple[str, str]]:
    for target, status in statuses.items():
        if wanted_target not in ("", target):
            continue
        # of a target, or of each instantiation there
        if isinstance(status, str):
            yield status, target
        else:
            for text in status.values():
                yield text, target
