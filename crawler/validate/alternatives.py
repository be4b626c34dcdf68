"""Which of a unit's instantiations are tried: the one that stands for all, and few others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.model import Instantiation

_TYPES: Final = ("float", "double", "int")
_MOST_OTHERS: Final = 2


def representative(instantiations: Sequence[Instantiation]) -> int:
    """Return the instantiation that stands for all: of `float`, else of `double`, else the first."""
    for wanted in _TYPES:
        for number, each in enumerate(instantiations):
            if wanted in each.arguments:
                return number
    return 0


def alternatives(instantiations: Sequence[Instantiation]) -> tuple[int, ...]:
    """Return the instantiation that stands for all, and few to run where that one is not meant for any device here."""
    first = representative(instantiations)
    types = [each for each in instantiations[first].arguments if each in _TYPES] if instantiations else []
    others = [
        number
        for number, each in enumerate(instantiations)
        if number != first and [one for one in each.arguments if one in _TYPES] == types
    ]
    return (first, *others[:_MOST_OTHERS])


def of_other_types(instantiations: Sequence[Instantiation]) -> tuple[int, ...]:
    """Return few instantiations that differ most from those that stand for all: they may be meant for other types."""
    if not instantiations:
        return ()
    seen = {each for number in alternatives(instantiations) for each in instantiations[number].arguments}
    found: list[int] = []
    for _ in range(_MOST_OTHERS):
        news = [len(set(each.arguments) - seen) for each in instantiations]
        best = news.index(max(news))
        if not news[best]:
            break
        found.append(best)
        seen.update(instantiations[best].arguments)
    return tuple(found)
