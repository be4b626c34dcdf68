"""Sizes and strides that are chosen so that no row lies upon another, and each begins where a wide access may."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from crawler.validate.evidence.names import is_block_size
from crawler.validate.evidence.site import Choose

_NUMBERED: Final = re.compile(r"(?i)(?:^|_)(?:s|nb|stride_?)\d?([0-3])$")
"""Strides by the number of their axis, the first being the innermost."""
_STRIDE: Final = re.compile(r"(?i)strides?(?:_?\w{1,8})?$|pitch$|(?:^|_)ld[a-z]?$")
ALIGNED: Final = 16
"""Elements: with as many, rows of the smallest types begin where the widest access may."""
_ALIGNED_FROM: Final = 5
"""What is less counts batches, groups and the like."""


def strides(names: Sequence[str]) -> Iterator[Choose]:
    """Yield ways to choose what goes by the name of a stride, so that no row lies upon another."""
    numbered = [found for name in names if (found := _NUMBERED.search(name))]
    others = [name for name in names if _STRIDE.search(name) and not _NUMBERED.search(name)]
    known = {found.string: 8 ** max(0, int(found[1])) * 8 if int(found[1]) else 1 for found in numbered}
    for order in (others, others[::-1]) if len(others) > 1 else (others,):
        chosen = dict(known)
        for group in _of_one_array(order):
            chosen |= {name: 64 * 8 ** min(at, 3) for at, name in enumerate(group)}
        if chosen:
            yield partial(_known_or, chosen)


def _of_one_array(names: Sequence[str]) -> list[list[str]]:
    """Return strides by the array that their first word names, where each array has several; else all together."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", name)[0], []).append(name)
    return list(groups.values()) if all(len(each) > 1 for each in groups.values()) else [list(names)]


def grained(grain: int, choose: Choose, text: str, names: tuple[str, ...], value: int) -> int:
    """Return what `choose` does in multiples of `grain`, but for what counts few."""
    chosen = choose(text, names, value)
    if is_block_size(names) or not (chosen >= _ALIGNED_FROM or _STRIDE.search(text)):
        return chosen
    return max(1, -(-chosen // grain)) * grain


def _known_or(known: dict[str, int], text: str, _names: tuple[str, ...], value: int) -> int:
    return known.get(text, value)
