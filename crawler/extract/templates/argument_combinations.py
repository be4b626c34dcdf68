"""Combine the choices for several template parameters, the likelier combinations first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Final

# In `LayoutA`, `kTile_M` and `Element2`; of a name such as `_2` all would be suffix
_STEM_SUFFIX: Final = re.compile(
    r"(?<=[A-Za-z])(?:(?<=[a-z])[A-Z]|(?<=_)[A-Za-z]|_|\d)+$"
)
# an argument: names that a parameter may be called like
_UNSCOPED_NAME: Final = re.compile(r"(?<![\w:])[A-Za-z_]\w*")


def stem_of(parameter_name: str) -> str:
    """Return a parameter's name without what tells it from those beside it: `LayoutA` and
    `LayoutB` are layouts.
    """
    return _STEM_SUFFIX.sub("", parameter_name).lower()


def iter_argument_lists(
    names: Sequence[str], choices: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, ...]]:
    """Yield lists of one choice for each parameter.

    Parameters of one stem with the same choices take the same one.
    """
    keys = [
        (stem_of(name), parameter_choices)
        for name, parameter_choices in zip(names, choices, strict=True)
    ]

    # `LayoutA` and `LayoutB` are one group, and vary together
    groups = list(dict.fromkeys(keys))
    group_indices = [groups.index(key) for key in keys]
    for positions in order_combinations([len(group) for _, group in groups]):
        arguments = [
            parameter_choices[positions[group_index]]
            for parameter_choices, group_index in zip(
                choices, group_indices, strict=True
            )
        ]
        yield _substitute_parameters(names, arguments)


def order_combinations(pool_sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield which of so many choices to take each time, those first that are all among the
    first.
    """
    # (sum of the positions, positions, first one that may still be raised)
    pending = [(0, (0,) * len(pool_sizes), 0)]
    while pending:
        total, positions, first = heappop(pending)
        yield positions
        for index in range(first, len(pool_sizes)):
            position = positions[index] + 1
            if position < pool_sizes[index]:
                raised = (*positions[:index], position, *positions[index + 1 :])
                heappush(pending, (total + 1, raised, index))


def _substitute_parameters(
    names: Sequence[str], arguments: Sequence[str]
) -> tuple[str, ...]:
    """Return arguments in which those that defaults name stand for what they are."""
    values: dict[str, str] = {}
    for name, argument in zip(names, arguments, strict=True):
        values[name] = _UNSCOPED_NAME.sub(
            lambda word: values.get(word[0], word[0]), argument
        )

    return tuple(values[name] for name in names)
