"""Choose which instantiations of a unit are run."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from crawler.model import Instantiation

_PREFERRED_TYPES: Final = ("float", "double", "int")
_MAX_FURTHER: Final = 2


def choose_representative(instantiations: Sequence[Instantiation]) -> int:
    """Return the instantiation that stands for all: of `float`, else of `double`, else the
    first.
    """
    for preferred_type in _PREFERRED_TYPES:
        for number, instantiation in enumerate(instantiations):
            if preferred_type in instantiation.arguments:
                return number
    return 0


def choose_instantiations(instantiations: Sequence[Instantiation]) -> tuple[int, ...]:
    """Return the instantiation that stands for all, and few to run where that one is not meant
    for any device here.
    """
    representative = choose_representative(instantiations)
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
