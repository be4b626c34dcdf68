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

    wanted = [
        value.pieces[0]
        for value in term.values
        if isinstance(value, Glob) and value.is_exact
    ]
    if not wanted:
        return

    name = term.field.name
    counts = index.count_values(name)
    values = {count.value for count in counts}
    frequent_values = sorted(count.value for count in counts[:_MAX_VALUES])
    for value in wanted:
        if value in values or not values:
            continue

        hint = ""
        close_values = get_close_matches(value, frequent_values, 1, _SIMILARITY)
        if close_values:
            hint = f": did you mean `{close_values[0]}`?"
        yield escape_line(f"no kernel has the {name} `{value}`{hint}")
