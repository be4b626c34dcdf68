"""What of a kernel is which operand of an operator, and the operands of a case by it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from crawler.validate.known_operators.case_arrays import CaseArrays
from crawler.validate.known_operators.known_operator import (
    MAX_ELEMENTS,
    Array,
    KnownOperator,
    Operands,
)

Factors = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What of a kernel is which operand of an operator."""

    inputs: tuple[int, ...]
    """Numbers of buffers."""
    outputs: tuple[int, ...]
    """Number of the buffer of each output that the kernel writes, in the operator's order; -1 for
    one that it does not.
    """
    factors: Mapping[str, Factors] = field(default_factory=dict)
    """Names of the numbers whose product is a size or a setting."""
    solved: str = ""
    """The letter of a size that the length of an input says."""
    reals: tuple[str | float, ...] = ()
    """Names of numbers, or what stands for them."""
    accumulates: bool = False
    """Whether the result is added to what stood in the output."""


def make_operands(
    operator: KnownOperator, assignment: Assignment, case: CaseArrays
) -> Operands | None:
    """Return what an operator is given in a case; `None` where its sizes do not fit."""
    sizes = find_sizes(operator, assignment, case)
    if sizes is None:
        return None

    if any(
        math.prod(sizes[letter] for letter in shape) > MAX_ELEMENTS
        for shape in operator.shapes
    ):
        return None

    inputs = [
        _shape_input(case.buffers[number].before, [sizes[letter] for letter in shape])
        for shape, number in zip(operator.shapes, assignment.inputs, strict=True)
    ]
    reals = tuple(
        case.reals[real] if isinstance(real, str) else real for real in assignment.reals
    )
    return Operands(
        inputs=tuple(inputs),
        sizes=sizes,
        reals=reals,
        block_size=case.block_size,
        block_count=case.block_count,
    )


def find_sizes(
    operator: KnownOperator, assignment: Assignment, case: CaseArrays
) -> dict[str, int] | None:
    """Return the sizes and settings of a case; `None` where there are no such."""
    sizes = {
        letter: math.prod(case.integers[name] for name in names)
        for letter, names in assignment.factors.items()
        if names
    }
    for setting, usual in operator.settings.items():
        sizes.setdefault(setting, usual)
    if any(sizes[letter] < 0 for letter in operator.letters if letter in sizes):
        return None

    if assignment.solved and not _solve(operator, assignment, case, sizes):
        return None

    for shape, number in zip(operator.shapes, assignment.inputs, strict=True):
        _measure(shape, len(case.buffers[number].before), sizes)

    return sizes


def is_held(
    operator: KnownOperator,
    inputs: Sequence[int],
    case: CaseArrays,
    sizes: Mapping[str, int],
) -> bool:
    """Tell whether each input holds as many numbers as its sizes say."""
    return all(
        math.prod(sizes[letter] for letter in shape) <= len(case.buffers[number].before)
        for shape, number in zip(operator.shapes, inputs, strict=True)
    )


def _shape_input(content: Array, extents: Sequence[int]) -> Array:
    """Return an input's numbers; memory ends where the kernel had no need of more."""
    count = math.prod(extents)
    if content.size < count:
        content = np.pad(content, (0, count - content.size))

    return content[:count].reshape(extents)


def _measure(shape: Sequence[str], length: int, sizes: dict[str, int]) -> None:
    """Put in the size that kernels need not know, by how much a buffer holds."""
    for letter in shape:
        if letter.isupper() and letter not in sizes:
            other_extents = math.prod(
                sizes[other] for other in shape if other != letter
            )
            sizes[letter] = length // other_extents if other_extents > 0 else 0


def _solve(
    operator: KnownOperator,
    assignment: Assignment,
    case: CaseArrays,
    sizes: dict[str, int],
) -> bool:
    """Put in the size that the length of the first input, or output, that has it says."""
    lengths = [len(case.buffers[number].before) for number in assignment.inputs]
    lengths.append(len(case.buffers[assignment.outputs[0]].gold))
    for shape, length in zip(
        (*operator.shapes, operator.output_shape), lengths, strict=True
    ):
        is_known = all(letter.islower() for letter in shape)
        if shape.count(assignment.solved) != 1 or not is_known:
            continue
        other_extents = math.prod(
            sizes[letter] for letter in shape if letter != assignment.solved
        )
        if other_extents <= 0 or length % other_extents:
            return False
        sizes[assignment.solved] = length // other_extents
        return True

    return False
