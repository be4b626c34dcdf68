"""Hold an operator's results against golden outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from crawler.validate.known_operators.assignment import (
    Assignment,
    find_sizes,
    make_operands,
)
from crawler.validate.known_operators.case_arrays import BufferArrays, CaseArrays
from crawler.validate.known_operators.known_operator import (
    MAX_ELEMENTS,
    Array,
    KnownOperator,
    NotDefined,
    Operands,
    flatten,
)
from crawler.validate.values.scalar_types import ScalarType

_TOLERANCES: Final = {
    ScalarType.FLOAT: (4e-6, 1e-6),
    ScalarType.DOUBLE: (1e-9, 1e-10),
    ScalarType.HALF: (1e-3, 2.5e-4),
    ScalarType.BFLOAT16: (8e-3, 2e-3),
}
"""Of each number, and of the largest: what a library's functions and other constants differ by,
beside what the case itself allows.
"""
_ROUNDED: Final = {
    ScalarType.FLOAT: np.float32,
    ScalarType.HALF: np.float16,
    ScalarType.BFLOAT16: np.float32,
}
_INTEGERS: Final = {
    ScalarType.BOOL: np.uint8,
    ScalarType.I8: np.int8,
    ScalarType.U8: np.uint8,
    ScalarType.I16: np.int16,
    ScalarType.U16: np.uint16,
    ScalarType.I32: np.int32,
    ScalarType.U32: np.uint32,
    ScalarType.I64: np.int64,
    ScalarType.U64: np.uint64,
}
_MAX_STEPS: Final = 1 << 28
"""Of the longest loop nest over the sizes of an operator."""
_MIN_NUMBERS: Final = 5
"""Of an operator's inputs, in a case that says something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What came of one case."""

    agrees: bool | None
    """`None` where the operator says nothing of its inputs, or the outputs are hardly numbers."""
    is_telling: bool = False
    """Whether agreeing says something: sizes are unlike each other, and there are some numbers."""
    result: Array | None = None
    """The first output as it was compared."""


def count_steps(
    operator: KnownOperator, assignment: Assignment, case: CaseArrays
) -> int:
    """Return how long the loops of an operator are in a case, up to what is ever computed."""
    sizes = find_sizes(operator, assignment, case)
    if sizes is None:
        return 0

    steps = math.prod(sizes[letter] for letter in operator.letters)

    return min(steps, _MAX_STEPS)


_DIFFERS: Final = Comparison(agrees=False)
_SAYS_NOTHING: Final = Comparison(agrees=None)


def compare(
    operator: KnownOperator, assignment: Assignment, case: CaseArrays
) -> Comparison:
    """Return whether an operator gives all golden outputs of a case."""
    operands = make_operands(operator, assignment, case)
    if operands is None or not _is_affordable(operator, operands, assignment, case):
        return _DIFFERS

    outputs = _compute(operator, operands)
    if outputs is None:
        return _SAYS_NOTHING
    # more outputs are written than the operator has
    if any(number >= 0 for number in assignment.outputs[len(outputs) :]):
        return _DIFFERS

    verdicts: list[bool | None] = []
    for number, output in zip(assignment.outputs, outputs, strict=False):
        if number < 0:
            continue
        arrays = case.buffers[number]
        if assignment.accumulates and output.size <= arrays.before.size:
            output = output + arrays.before[: output.size]
        verdicts.append(_gives(output, arrays))

    if False in verdicts:
        return _DIFFERS
    if None in verdicts:
        return _SAYS_NOTHING

    return Comparison(
        agrees=True,
        is_telling=_is_telling(operator, operands),
        result=outputs[0],
    )


def _is_affordable(
    operator: KnownOperator,
    operands: Operands,
    assignment: Assignment,
    case: CaseArrays,
) -> bool:
    sizes = operands.sizes
    output_size = math.prod(sizes[letter] for letter in operator.output_shape)
    steps = math.prod(sizes[letter] for letter in operator.letters)
    fits = output_size <= len(case.buffers[assignment.outputs[0]].gold)

    return fits and steps <= _MAX_STEPS


def _compute(operator: KnownOperator, operands: Operands) -> list[Array] | None:
    # what is empty has no mean, and tells nothing
    if not all(array.size for array in operands.inputs):
        return None

    try:
        outputs = flatten(operator.compute(operands))
    # a size, an index or a shape that the operator does not take
    except (NotDefined, ValueError, IndexError, ArithmeticError, MemoryError):
        return None

    if any(output.size > MAX_ELEMENTS for output in outputs):
        return None

    return outputs


def _gives(output: Array, arrays: BufferArrays) -> bool | None:
    """Tell whether a buffer's gold is `output`, and as it was behind that; `None` where more than
    half of it is no number.
    """
    count = output.size
    if count > arrays.gold.size or not bool(np.all(arrays.unchanged[count:])):
        return False

    gold = arrays.gold[:count]
    if not arrays.scalar.is_real:
        return _gives_integers(output, gold, arrays.scalar)

    return _gives_reals(output, gold, arrays)


def _gives_integers(output: Array, gold: Array, scalar: ScalarType) -> bool:
    if output.dtype.kind == "f":
        # C++ rounds towards 0
        if not bool(np.all(np.isfinite(output))):
            return False
        output = np.trunc(output).astype(np.int64)

    width = _INTEGERS[scalar]

    return bool(np.array_equal(output.astype(width), gold.astype(width)))


def _gives_reals(output: Array, gold: Array, arrays: BufferArrays) -> bool | None:
    rounded = output.astype(np.float64)
    if arrays.scalar in _ROUNDED:
        rounded = rounded.astype(_ROUNDED[arrays.scalar]).astype(np.float64)

    is_finite = np.isfinite(gold)
    if not np.array_equal(gold[~is_finite], rounded[~is_finite], equal_nan=True):
        return False

    expected, actual = gold[is_finite], rounded[is_finite]
    if not bool(np.all(np.isfinite(actual))):
        return False

    of_value, of_largest = _TOLERANCES.get(arrays.scalar, (0.0, 0.0))
    magnitudes = np.abs(expected)
    largest = float(magnitudes.max(initial=0.0))
    tolerance = arrays.buffer.absolute + of_largest * largest
    allowed = tolerance + (arrays.buffer.relative + of_value) * magnitudes

    is_close = bool(np.all(np.abs(expected - actual) <= allowed))
    says_little = 2 * int(is_finite.sum()) < gold.size

    return None if is_close and says_little else is_close


def _is_telling(operator: KnownOperator, operands: Operands) -> bool:
    """Tell whether no axis could be taken for another, and there is enough to tell by."""
    extents = [operands.sizes[letter] for letter in operator.letters]
    if len(extents) > 1 and (len(set(extents)) < len(extents) or min(extents) < 2):
        # batches, channels and filters may well be as many
        return len(extents) > 3 and len(set(extents)) > 2

    return max((array.size for array in operands.inputs), default=0) >= _MIN_NUMBERS
