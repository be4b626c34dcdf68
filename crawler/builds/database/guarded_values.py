"""Enumerators that an `if constexpr` around a template's uses compares with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Final

_BRANCH: Final = re.compile(r"\bif\s+constexpr\s*\(([^{};]*)\)\s*\Z")
_EQUAL: Final = re.compile(r"==\s*(?:\w+::)*([A-Za-z_]\w*)::([A-Za-z_]\w*)")
_BRACE: Final = re.compile(r"[{}]")
_ALIAS: Final = re.compile(r"^using\s+([A-Za-z_]\w*)\s*=", re.MULTILINE)
_BEFORE: Final = 6_000
"""Characters in front of a use that may hold the branch round it."""
_LONGEST: Final = 400
_MOST_USES: Final = 16
Enumerator = tuple[str, str]
"""An enumeration with one of its enumerators."""


def find_guarded_values(content: str, kernel: str) -> frozenset[Enumerator] | None:
    """Return the values that branches round the uses of a template compare with; `None` where
    it is not used so.

    Where one of its uses stands in no such branch there are none.
    """
    found: set[Enumerator] = set()
    places = [
        use.start()
        for use in islice(
            re.finditer(rf"\b{re.escape(kernel)}\s*<", content), _MOST_USES
        )
    ]
    for place in places:
        values = set(_round(content, place))
        if not values:
            return frozenset()
        found |= values
    return frozenset(found) if places else None


def iter_type_aliases(content: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a file's aliases with what each stands for; none of the texts overlap."""
    heads = list(_ALIAS.finditer(content))
    for head, behind in zip_longest(heads, heads[1:]):
        last = behind.start() if behind else len(content)
        end = content.find(";", head.end(), last)
        if end >= 0:
            yield head[1], content[head.end() : end]


def _round(content: str, place: int) -> Iterator[Enumerator]:
    first, depth = max(0, place - _BEFORE), 0
    for brace in reversed(list(_BRACE.finditer(content, first, place))):
        if brace[0] == "}":
            depth += 1
        elif depth:
            depth -= 1
        else:
            head = _BRANCH.search(
                content[max(first, brace.start() - _LONGEST) : brace.start()]
            )
            yield from _EQUAL.findall(head[1]) if head else ()
