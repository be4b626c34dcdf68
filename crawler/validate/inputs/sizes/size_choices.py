"""Choices of launch sizes, in the order in which they are tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import partial
from typing import Final

from crawler.validate.evidence.launch_configuration import ValueChooser
from crawler.validate.evidence.names import is_block_size
from crawler.validate.inputs.sizes.stride_choices import (
    choose_rounded_size,
    generate_stride_choices,
)
from crawler.validate.inputs.trials.trial import Trial

_AXIS: Final = re.compile(r"[.>](?:size|dim|shape)s?[(\[]")
_ALIKE: Final = 12
_TILES: Final = (128, 256)
"""Elements that kernels take at a time who leave what is over to nobody."""
_MOST_NUDGED: Final = 8


def generate_size_choices(block_threads: int) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes: powers of two, every axis of every tensor alike, whole tiles
    and whole blocks.
    """
    yield (
        lambda _text, _names, value: (
            1 << max(0, (value - 1)).bit_length() if value > 1 else value
        )
    )
    yield (
        lambda text, _names, value: _ALIKE if _AXIS.search(text) else min(value, _ALIKE)
    )
    yield from (
        partial(choose_rounded_size, tile, choose_usual_size)
        for tile in dict.fromkeys((*_TILES, block_threads))
        if tile >= min(_TILES)
    )


def choose_usual_size(_text: str, _names: tuple[str, ...], value: int) -> int:
    """Choose what a size is by its name."""
    return value


def generate_small_choices() -> Iterator[ValueChooser]:
    """Yield ways to choose sizes with which little is done."""
    yield lambda _text, _names, value: min(value, 4) if value > 1 else value
    yield lambda _text, _names, value: min(value, 1)


def generate_larger_choices(trial: Trial) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes with which more is done: one variable much larger than by its
    name, or none of it.
    """
    names = list(trial.configuration.free_variables)
    apart = next(generate_stride_choices(names), lambda _text, _names, value: value)
    for name in names[:_MOST_NUDGED]:
        # few blocks: a grid that is too large to trace is made smaller, and this size with it
        yield from (partial(_both, partial(_alone, name, to), apart) for to in (0, 256))


def choose_excess_blocks(grid_variables: Sequence[str]) -> ValueChooser:
    """Return a way to choose sizes with more blocks than work, where these variables say how
    many blocks there are.
    """
    return partial(_outnumbered, frozenset(grid_variables))


def _outnumbered(
    of_grid: Set[str], text: str, names: tuple[str, ...], value: int
) -> int:
    return (
        value
        if is_block_size(names)
        else _MOST_NUDGED
        if text in of_grid
        else min(value, 2)
    )


def generate_wide_row_choices(trial: Trial) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes with which rows lie apart, where one of them is how far they
    do.
    """
    for name in list(trial.configuration.free_variables)[:_MOST_NUDGED]:
        if not is_block_size((name,)):
            yield from (_nudged(name, to) for to in (64, 256))


def generate_flat_grid_choices(
    axis_variables: Sequence[str], size_choices: Sequence[ValueChooser]
) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes with which a grid has one axis or none, where variables say
    how long its `axis_variables` are.

    Blocks that differ by an axis which their kernel does not ask for write the same.
    """
    for kept in (1, 0):
        for way in size_choices if len(axis_variables) > 1 else ():
            yield partial(_one_of, frozenset(axis_variables[kept:]), way)


def _one_of(
    chosen: frozenset[str],
    way: ValueChooser,
    text: str,
    names: tuple[str, ...],
    value: int,
) -> int:
    return 1 if text in chosen else way(text, names, value)


def _alone(name: str, to: int, text: str, names: tuple[str, ...], value: int) -> int:
    return to if text == name else value if is_block_size(names) else min(value, 2)


def _both(
    first: ValueChooser,
    second: ValueChooser,
    text: str,
    names: tuple[str, ...],
    value: int,
) -> int:
    return second(text, names, first(text, names, value))


def generate_nudged_choices(trial: Trial) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes: all small, or one variable otherwise than by its name."""
    yield lambda _text, _names, value: min(value, 4) if value > 1 else value
    yield lambda _text, _names, value: 64 if value > 4 else value
    for name in list(trial.configuration.free_variables)[:_MOST_NUDGED]:
        for to in (1, 4, 32):
            if trial.configuration.free_variables[name] != to:
                yield _nudged(name, to)


def _nudged(name: str, to: int) -> ValueChooser:
    return lambda text, _names, value: to if text == name else value
