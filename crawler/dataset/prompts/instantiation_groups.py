"""Describe many sets of template arguments in few words, as products: 216 of them may be one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

_MAX_LISTED: Final = 4
"""So many sets are listed one by one; more are grouped."""


@dataclass(frozen=True, slots=True)
class InstantiationGroup:
    """All combinations of the arguments that each template parameter may have."""

    choices: tuple[tuple[str, ...], ...]
    """The arguments of each parameter, in the parameters' order."""

    def expand(self) -> list[tuple[str, ...]]:
        """Return each combination."""
        return list(product(*self.choices))


def group_instantiations(
    argument_lists: Iterable[tuple[str, ...]],
) -> tuple[InstantiationGroup, ...]:
    """Return groups that together expand to each of the lists once, and to no other.

    Few lists are a group each.
    """
    lists = list(dict.fromkeys(argument_lists))
    boxes: list[tuple[tuple[str, ...], ...]] = [
        tuple((argument,) for argument in arguments) for arguments in lists
    ]
    if len(boxes) > _MAX_LISTED:
        # the last parameter first: `<float, 1>; <float, 2>; <int, 1>; <int, 2>`
        for position in reversed(range(max(map(len, boxes)))):
            boxes = _merge_boxes(boxes, position)

    return tuple(map(InstantiationGroup, boxes))


def describe_groups(
    groups: Iterable[InstantiationGroup], parameter_names: Sequence[str]
) -> str:
    """Return the groups in words: `<float, 3>; each <T, 4> with T of: int, long`."""
    return "; ".join(_describe_group(group, parameter_names) for group in groups)


def _merge_boxes(
    boxes: Iterable[tuple[tuple[str, ...], ...]], position: int
) -> list[tuple[tuple[str, ...], ...]]:
    """Join the boxes that differ in the choices at `position` alone."""
    merged: dict[tuple[object, ...], tuple[tuple[str, ...], ...]] = {}
    for box in boxes:
        other_choices = (len(box), box[:position], box[position + 1 :])
        like_box = merged.get(other_choices)
        if like_box is None or position >= len(box):
            merged[other_choices] = box
        else:
            joined = like_box[position] + box[position]
            before, behind = box[:position], box[position + 1 :]
            merged[other_choices] = (*before, joined, *behind)

    return list(merged.values())


def _describe_group(group: InstantiationGroup, parameter_names: Sequence[str]) -> str:
    if math.prod(map(len, group.choices)) == 1:
        return f"<{', '.join(choice[0] for choice in group.choices)}>"

    arguments: list[str] = []
    alternatives: list[str] = []
    for position, choice in enumerate(group.choices):
        if len(choice) == 1:
            arguments.append(choice[0])
            continue
        names = parameter_names[position : position + 1]
        # a parameter without a name, or one of a pack
        name = names[0] if names and names[0] else f"argument {position + 1}"
        arguments.append(name)
        alternatives.append(f"{name} of: {', '.join(choice)}")

    return f"each <{', '.join(arguments)}> with {', and '.join(alternatives)}"
