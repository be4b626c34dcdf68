"""Say which values of a query no kernel has, and which they are like."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from workers.cli.terminal import escape_line

if TYPE_CHECKING:
    from storage.index.query.terms import Term
    from storage.interfaces import KernelIndex

_MAX_VALUES: Final = 20_000
"""Values of a field that a wrong one may be meant to be, the most frequent ones."""
_SIMILARITY: Final = 0.6
_NAME_SIMILARITY: Final = 0.8
"""Of names of fields."""
_COUNTED_KINDS: Final = frozenset({"text", "many texts"})


def iter_value_hints(index: KernelIndex, expression: str) -> Iterator[str]:
    """Yield a sentence for each exact value of an expression that no kernel of the index has."""
    from storage.index.query.conditions import iter_terms
    from storage.index.query.parser import parse_query

    for term in iter_terms(parse_query(expression)):
        # a value of a fixed set was checked when the expression was read
        if term.field.kind in _COUNTED_KINDS and not term.field.choices:
            yield from _iter_hints(index, term)


def _iter_hints(index: KernelIndex, term: Term) -> Iterator[str]:
    from storage.index.query.glob import Glob

    conditions = [
        value.pieces[0]
        for value in term.values
        if isinstance(value, Glob) and value.is_exact
    ]
    if not conditions:
        return

    name = term.field.name
    counts = index.count_values(name)
    values = {count.value for count in counts}
    frequent_values = sorted(count.value for count in counts[:_MAX_VALUES])
    for value in conditions:
        if value in values or not values:
            continue

        hint = ""
        close_values = get_close_matches(value, frequent_values, 1, _SIMILARITY)
        if close_values:
            hint = f": did you mean `{close_values[0]}`?"
        elif like_named := _find_like_named_field(index, name, value):
            hint = f": did you mean `{like_named} = {value}`?"
        yield escape_line(f"no kernel has the {name} `{value}`{hint}")


def _find_like_named_field(index: KernelIndex, name: str, value: str) -> str:
    """Return a field that is called nearly the same and has the value, such as `reasons` for
    `reason`; empty where there is none.
    """
    from storage.index.query.fields import FIELDS

    other_fields = [other for other in FIELDS if other != name]
    for other in get_close_matches(name, other_fields, 3, _NAME_SIMILARITY):
        if FIELDS[other].kind not in _COUNTED_KINDS:
            continue
        if any(count.value == value for count in index.count_values(other)):
            return other
    return ""
