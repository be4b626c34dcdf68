"""Draw some of a kernel's many instantiations, to check its unit with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from crawler.model import Instantiation

_MAX_DRAWN: Final = 24
"""Each is parsed anew, and what one lacks, those with the same arguments lack, too."""
_Arguments = tuple[str, ...]


def draw_arguments(instantiations: Iterable[Instantiation]) -> list[_Arguments]:
    """Return the arguments of some instantiations of a kernel: each type before many numbers."""
    made = [
        instantiation.arguments
        for instantiation in instantiations
        if instantiation.arguments
    ]
    firsts_by_place: dict[int, dict[str, _Arguments]] = defaultdict(dict)
    for arguments in made:
        for place, argument in enumerate(arguments):
            firsts_by_place[place].setdefault(argument, arguments)

    drawn: dict[_Arguments, None] = {}
    # a parameter with few arguments is a type or a switch
    for firsts in sorted(firsts_by_place.values(), key=len):
        drawn.update(dict.fromkeys(_thin_out([*firsts.values()])))

    drawn.update(dict.fromkeys(_thin_out(made)))
    return [*drawn][:_MAX_DRAWN]


def _thin_out(values: Sequence[_Arguments]) -> Sequence[_Arguments]:
    step = -(-len(values) // _MAX_DRAWN)
    return values[:: step or 1]
