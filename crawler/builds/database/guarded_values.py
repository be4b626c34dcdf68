"""Enumerators that an `if constexpr` around a template's uses compares with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Final

# A header of a template library is looked at thousands of times, and for the text in front of
# a few words of it: parsing takes too long for that.
_CONSTEXPR_BRANCH: Final = re.compile(r"\bif\s+constexpr\s*\(([^{};]*)\)\s*\Z")
_COMPARISON: Final = re.compile(r"==\s*(?:\w+::)*([A-Za-z_]\w*)::([A-Za-z_]\w*)")
_BRACE: Final = re.compile(r"[{}]")
_TYPE_ALIAS: Final = re.compile(r"^using\s+([A-Za-z_]\w*)\s*=", re.MULTILINE)
_MAX_BRANCH_CHARS: Final = 6_000
"""Characters in front of a use that may hold the branch around it."""
_MAX_CONDITION_CHARS: Final = 400
_MAX_USES: Final = 16
Enumerator = tuple[str, str]
"""An enumeration with one of its enumerators."""


def find_guarded_values(content: str, kernel: str) -> frozenset[Enumerator] | None:
    """Return the values that `if constexpr` around the uses of a template compares with.

    `if constexpr (kMode == Mode::kFast) { kernel<T>… }` gives `("Mode", "kFast")`. Empty where
    one use stands in no such branch, `None` where the template is not used.
    """
    uses = re.finditer(rf"\b{re.escape(kernel)}\s*<", content)
    positions = [use.start() for use in islice(uses, _MAX_USES)]
    guarded_values: set[Enumerator] = set()

    for position in positions:
        values = _find_enclosing_values(content, position)
        # this use instantiates the template for any value
        if not values:
            return frozenset()

        guarded_values.update(values)

    return frozenset(guarded_values) if positions else None


def iter_type_aliases(content: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a file's aliases with what each stands for; none of the texts overlap."""
    heads = list(_TYPE_ALIAS.finditer(content))
    for head, next_head in zip_longest(heads, heads[1:]):
        limit = len(content)
        if next_head is not None:
            limit = next_head.start()

        start = head.end()
        end = content.find(";", start, limit)
        if end < 0:
            continue

        aliased_type = content[start:end]
        yield head[1], aliased_type


def _find_enclosing_values(content: str, position: int) -> set[Enumerator]:
    """Return the values that the conditions of all enclosing branches compare with."""
    first = max(0, position - _MAX_BRANCH_CHARS)
    braces = list(_BRACE.finditer(content, first, position))
    values: set[Enumerator] = set()
    depth = 0

    for brace in reversed(braces):
        if brace[0] == "}":
            depth += 1
        elif depth:
            depth -= 1
        else:
            # this brace is open at the position
            head_start = max(first, brace.start() - _MAX_CONDITION_CHARS)
            head = _CONSTEXPR_BRANCH.search(content[head_start : brace.start()])

            if head is not None:
                values.update(_COMPARISON.findall(head[1]))

    return values
