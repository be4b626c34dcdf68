"""Choose which instantiations of a unit are run."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from crawler.model import Instantiation

_TYPES: Final = ("float", "double", "int")
_MOST_OTHERS: Final = 2


def choose_representative(instantiations: Sequence[Instantiation]) -> int:
    """Return the instantiation that stands for all: of `float`, else of `double`, else the
    first.
    """
    for wanted in _TYPES:
        for number, each in enumerate(instantiations):
            if wanted in each.arguments:
                return number
    return 0


def choose_instantiations(instantiations: Sequence[Instantiation]) -> tuple[int, ...]:
    """Return the instantiation that stands for all, and few to run where that one is not meant
    for any device here.
    """
    first = choose_representative(instantiations)
    types = (
        [each for each in instantiations[first].arguments if each in _TYPES]
        if instantiations
        else []
    )
    others = [
        number
        for number, each in enumerate(instantiations)
        if number != first and [one for one in each.arguments if one in _TYPES] == types
    ]
    return (
        first,
        *_unlike(
            instantiations,
            others,
            set(instantiations[first].arguments) if instantiations else set(),
        ),
    )


def _unlike(
    instantiations: Sequence[Instantiation], among: Sequence[int], known: Set[str]
) -> tuple[int, ...]:
    """Return few of `among`, first those whose arguments none before has: one flag may be for
    no device here.
    """
    left, seen, found = list(among), set(known), list[int]()
    while left and len(found) < _MOST_OTHERS:
        best = max(left, key=lambda at: len(set(instantiations[at].arguments) - seen))
        left.remove(best)
        found.append(best)
        seen.update(instantiations[best].arguments)
    return tuple(found)


def choose_other_types(instantiations: Sequence[Instantiation]) -> tuple[int, ...]:
    """Return few instantiations that differ most from those that stand for all: they may be
    meant for other types.
    """
    if not instantiations:
        return ()
    seen = {
        each
        for number in choose_instantiations(instantiations)
        for each in instantiations[number].arguments
    }
    strange = [
        at for at, each in enumerate(instantiations) if set(each.arguments) - seen
    ]
    return _unlike(instantiations, strange, seen)
