"""Choose which instantiations of a unit are run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from itertools import combinations
from typing import Final

from crawler.model import Instantiation

_PREFERRED_TYPES: Final = ("float", "double", "int")
_MAX_FURTHER: Final = 2
_MAX_PLACES: Final = 12
"""Arguments of an instantiation that are looked at: a pack may have hundreds."""
_Trait = tuple[tuple[int, str], ...]
"""One argument, or two of one instantiation, each with its place among the arguments."""


def choose_representative(
    instantiations: Sequence[Instantiation], launched: Sequence[int] = ()
) -> int:
    """Return the instantiation that stands for all: of `float`, else of `double`, else the
    first; one of those that the project is known to have `launched`, where there are such.
    """
    numbers = launched or range(len(instantiations))
    for preferred_type in _PREFERRED_TYPES:
        for number in numbers:
            if preferred_type in instantiations[number].arguments:
                return number
    return next(iter(numbers), 0)


def choose_instantiations(
    instantiations: Sequence[Instantiation], launched: Sequence[int] = ()
) -> tuple[int, ...]:
    """Return the instantiation that stands for all, and few to run where that one is not meant
    for any device here.
    """
    representative = choose_representative(instantiations, launched)
    if not instantiations:
        return (representative,)

    types = _list_preferred_types(instantiations[representative])
    candidates = [
        number
        for number, instantiation in enumerate(instantiations)
        if number != representative and _list_preferred_types(instantiation) == types
    ]
    arguments = set(instantiations[representative].arguments)
    further = _choose_unlike(instantiations, candidates, arguments)

    return (representative, *further)


def _list_preferred_types(instantiation: Instantiation) -> list[str]:
    return [
        argument for argument in instantiation.arguments if argument in _PREFERRED_TYPES
    ]


def _choose_unlike(
    instantiations: Sequence[Instantiation],
    candidates: Sequence[int],
    known_arguments: Set[str],
) -> tuple[int, ...]:
    """Return few of `candidates`, first those whose arguments none before has: one flag may be
    for no device here.
    """
    remaining = list(candidates)
    covered = set(known_arguments)
    chosen: list[int] = []

    while remaining and len(chosen) < _MAX_FURTHER:
        new_counts = [
            len(set(instantiations[number].arguments) - covered) for number in remaining
        ]
        best = remaining.pop(new_counts.index(max(new_counts)))
        chosen.append(best)
        covered.update(instantiations[best].arguments)

    return tuple(chosen)


def choose_other_types(instantiations: Sequence[Instantiation]) -> tuple[int, ...]:
    """Return few instantiations that differ most from those that stand for all: they may be
    meant for other types.
    """
    if not instantiations:
        return ()

    known_arguments: set[str] = set()

    for number in choose_instantiations(instantiations):
        known_arguments.update(instantiations[number].arguments)

    candidates = [
        number
        for number, instantiation in enumerate(instantiations)
        if set(instantiation.arguments) - known_arguments
    ]

    return _choose_unlike(instantiations, candidates, known_arguments)


def iter_unlike(
    instantiations: Sequence[Instantiation], chosen: Collection[int]
) -> Iterator[int]:
    """Yield all instantiations but those of `chosen`, each time the one that has most arguments
    which none before has in that place, then most pairs of arguments.

    So each functor, flag and type is met once before any is met twice.
    """
    singles = [_list_traits(instantiation, 1) for instantiation in instantiations]
    pairs = [_list_traits(instantiation, 2) for instantiation in instantiations]
    covered: set[_Trait] = set()
    remaining = list(range(len(instantiations)))

    for number in chosen:
        covered |= singles[number] | pairs[number]
        remaining.remove(number)

    while remaining:
        novelties = [
            (len(singles[number] - covered), len(pairs[number] - covered))
            for number in remaining
        ]
        best = remaining.pop(novelties.index(max(novelties)))
        covered |= singles[best] | pairs[best]
        yield best


def _list_traits(instantiation: Instantiation, size: int) -> set[_Trait]:
    places = enumerate(instantiation.arguments[:_MAX_PLACES])
    return set(combinations(places, size))
