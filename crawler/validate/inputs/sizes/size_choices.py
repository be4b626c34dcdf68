"""Choices of launch sizes, in the order in which they are tried.

A choice maps a free variable of a launch, the names that it goes by and its usual value to the
value that it takes.
"""

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

# A free variable is a piece of host code, such as `x.size(0)` or `in->dims[1]`.
_TENSOR_EXTENT: Final = re.compile(r"[.>](?:size|dim|shape)s?[(\[]")
_ALIKE_EXTENT: Final = 12
_TILE_SIZES: Final = (128, 256)
"""Elements that kernels take at a time which leave a remainder to nobody."""
_MAX_NUDGED_VARIABLES: Final = 8
_EXCESS_BLOCKS: Final = 8


def generate_size_choices(block_threads: int) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes other than by name.

    These are powers of two, every axis of every tensor alike, whole tiles, and whole blocks of
    `block_threads`.
    """
    yield _choose_power_of_two
    yield _choose_alike

    # The block may be one of the tiles; a small block is no tile.
    for tile in dict.fromkeys((*_TILE_SIZES, block_threads)):
        if tile >= min(_TILE_SIZES):
            yield partial(choose_rounded_size, tile, choose_usual_size)


def choose_usual_size(_text: str, _names: tuple[str, ...], value: int) -> int:
    """Choose the size that a variable has by its name."""
    return value


def generate_small_choices() -> Iterator[ValueChooser]:
    """Yield ways to choose sizes with which little is done."""
    yield _choose_small
    yield lambda _text, _names, value: min(value, 1)


def generate_larger_choices(trial: Trial) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes with which more is done.

    One variable is much larger than by its name, or 0, and all others are small: a grid that is
    too large to trace is cut, and the large size with it.
    """
    names = list(trial.configuration.free_variables)
    # Rows must not overlap however large the one size is.
    choose_strides = next(generate_stride_choices(names), choose_usual_size)

    for name in names[:_MAX_NUDGED_VARIABLES]:
        for size in (0, 256):
            choose_size = partial(_choose_single_large, name, size)
            yield partial(_choose_in_turn, choose_size, choose_strides)


def choose_excess_blocks(grid_variables: Sequence[str]) -> ValueChooser:
    """Return a way to choose sizes with more blocks than work.

    `grid_variables` are those that say how many blocks there are.
    """
    return partial(_choose_excess_blocks, frozenset(grid_variables))


def generate_wide_row_choices(trial: Trial) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes of which one is large.

    Where that one is how far apart rows lie, they do not overlap.
    """
    for name in list(trial.configuration.free_variables)[:_MAX_NUDGED_VARIABLES]:
        if is_block_size((name,)):
            continue

        for size in (64, 256):
            yield partial(_choose_nudged, name, size)


def generate_flat_grid_choices(
    axis_variables: Sequence[str], size_choices: Sequence[ValueChooser]
) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes with which a grid has one axis, then none.

    `axis_variables` say how long the grid's axes are. Blocks that differ by an axis which their
    kernel does not ask for write to the same places.
    """
    if len(axis_variables) <= 1:
        return

    for axis_count in (1, 0):
        flat_variables = frozenset(axis_variables[axis_count:])
        for choose in size_choices:
            yield partial(_choose_flat, flat_variables, choose)


def generate_nudged_choices(trial: Trial) -> Iterator[ValueChooser]:
    """Yield ways to choose sizes: all small, or one variable otherwise than by its name."""
    yield _choose_small
    yield lambda _text, _names, value: 64 if value > 4 else value

    variables = trial.configuration.free_variables
    for name in list(variables)[:_MAX_NUDGED_VARIABLES]:
        for size in (1, 4, 32):
            if variables[name] != size:
                yield partial(_choose_nudged, name, size)


def _choose_power_of_two(_text: str, _names: tuple[str, ...], value: int) -> int:
    if value <= 1:
        return value

    return 1 << (value - 1).bit_length()


def _choose_alike(text: str, _names: tuple[str, ...], value: int) -> int:
    if _TENSOR_EXTENT.search(text):
        return _ALIKE_EXTENT

    return min(value, _ALIKE_EXTENT)


def _choose_small(_text: str, _names: tuple[str, ...], value: int) -> int:
    return min(value, 4) if value > 1 else value


def _choose_single_large(
    large_variable: str, size: int, text: str, names: tuple[str, ...], value: int
) -> int:
    if text == large_variable:
        return size
    if is_block_size(names):
        return value

    return min(value, 2)


def _choose_in_turn(
    first: ValueChooser,
    second: ValueChooser,
    text: str,
    names: tuple[str, ...],
    value: int,
) -> int:
    return second(text, names, first(text, names, value))


def _choose_excess_blocks(
    grid_variables: Set[str], text: str, names: tuple[str, ...], value: int
) -> int:
    if is_block_size(names):
        return value
    # One iteration of a grid-stride loop for each block, and blocks to spare.
    if text in grid_variables:
        return _EXCESS_BLOCKS

    return min(value, 2)


def _choose_flat(
    flat_variables: Set[str],
    choose: ValueChooser,
    text: str,
    names: tuple[str, ...],
    value: int,
) -> int:
    if text in flat_variables:
        return 1

    return choose(text, names, value)


def _choose_nudged(
    nudged_variable: str, size: int, text: str, _names: tuple[str, ...], value: int
) -> int:
    return size if text == nudged_variable else value
