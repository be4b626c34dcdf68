"""A known operator: the words that it goes by, where it is defined, and what NumPy makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

INDEX_MARK: Final = "index "
"""In front of the shape of an input whose numbers say places."""
MAX_ELEMENTS: Final = 1 << 22
"""Numbers in any array that an operator may make."""


class NotDefined(Exception):
    """An operator has no result for these inputs: an index is out of its range, or all is too
    much.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Operands:
    """What an operator is given in one case."""

    inputs: tuple[Array, ...]
    """In the shapes that the operator names; 64 bits wide, whatever the kernel has."""
    sizes: Mapping[str, int]
    """By the letters of its shapes, and its settings."""
    reals: tuple[float, ...] = ()
    block_size: int = 1
    """Threads of a block."""
    block_count: int = 1

    def __getitem__(self, number: int) -> Array:
        """Return an input."""
        return self.inputs[number]


Compute: TypeAlias = Callable[[Operands], "Array | tuple[Array, ...]"]


@dataclass(frozen=True, kw_only=True)
class KnownOperator:
    """One operator of a library or a textbook."""

    name: str
    """As a message says it: "softmax of each row"."""
    source: str
    """Address, or title, of what defines it."""
    words: tuple[str, ...]
    """By one of which kernels of this meaning are named; several words stand side by side."""
    other_words: tuple[str, ...] = ()
    """What a name has none of: with one of these it means something else."""
    inputs: tuple[str, ...]
    """Shapes: letters of sizes with spaces between them, behind `INDEX_MARK` for places.

    A capital stands for a size that kernels need not know: it is what the buffer holds.
    """
    output: str
    """Shape of the first output; empty for a single number."""
    compute: Compute
    """Gives the output, or several in their order; raises `NotDefined`."""
    settings: Mapping[str, int] = field(default_factory=dict)
    """Whole numbers besides the sizes, with what they are where a kernel takes none."""
    size_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """How parameters for a size or a setting are called, besides its letter."""
    reals: tuple[tuple[float, ...], ...] = ()
    """Of each real parameter what it is where a kernel takes none; empty where it must."""
    family: str
    """Operators of one family that take the same may be mistaken for each other."""
    alias: str = ""
    """Operators of one alias are the same but for rounding."""
    extends: str = ""
    """Name of an operator that differs from it for rare inputs alone: where both agree, it is the
    other.
    """
    accumulates: bool = False
    """Whether kernels may add the result to what stood in the output."""

    @cached_property
    def shapes(self) -> tuple[tuple[str, ...], ...]:
        """The letters of each input."""
        return tuple(
            tuple(shape.removeprefix(INDEX_MARK).split()) for shape in self.inputs
        )

    @cached_property
    def output_shape(self) -> tuple[str, ...]:
        """The letters of the first output."""
        return tuple(self.output.split())

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """Sizes that kernels take, each once, in their order of appearance."""
        shapes = (*self.shapes, self.output_shape)
        letters = (letter for shape in shapes for letter in shape)
        return tuple(dict.fromkeys(letter for letter in letters if letter.islower()))

    def takes_index(self, number: int) -> bool:
        """Tell whether an input holds places."""
        return self.inputs[number].startswith(INDEX_MARK)


def flatten(result: Array | tuple[Array, ...]) -> list[Array]:
    """Return each output as a row of numbers."""
    outputs = result if isinstance(result, tuple) else (result,)
    return [np.asarray(output).reshape(-1) for output in outputs]


def check_places(places: Array, end: int) -> Array:
    """Return places that are within `[0, end)`; raises `NotDefined` for others."""
    if places.size and (places.min() < 0 or places.max() >= end):
        raise NotDefined
    return places
