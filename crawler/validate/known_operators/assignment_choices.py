"""Ways in which a kernel's buffers and numbers may be what an operator takes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from crawler.model import BufferRole
from crawler.validate.known_operators.assignment import (
    Assignment,
    Factors,
    find_sizes,
    is_held,
)
from crawler.validate.known_operators.case_arrays import CaseArrays
from crawler.validate.known_operators.known_operator import KnownOperator

_MAX_INPUTS: Final = 6
_MAX_INTEGERS: Final = 8
_MAX_ASSIGNMENTS: Final = 3000
"""Of whole numbers to sizes; where there are more, names decide."""
_MAX_REAL_CHOICES: Final = 24


def list_assignments(
    operator: KnownOperator, cases: Sequence[CaseArrays]
) -> Iterator[Assignment]:
    """Yield the assignments that use all that a kernel reads, writes, and takes as a real number.

    Those come first in which more of its whole numbers have a meaning, and in its own order.
    """
    case = cases[0]
    input_choices = list(_list_inputs(operator, case))
    output_choices = list(_list_outputs(case))
    real_choices = list(_list_reals(operator, case))
    if not (input_choices and output_choices and real_choices):
        return

    for factors, solved in _list_factors(operator, cases):
        for inputs in input_choices:
            if not _fits(operator, inputs, factors, solved, cases):
                continue
            for outputs in output_choices:
                for reals in real_choices:
                    for accumulates in _list_accumulations(
                        operator, case, inputs, outputs
                    ):
                        yield Assignment(
                            inputs=inputs,
                            outputs=outputs,
                            factors=factors,
                            solved=solved,
                            reals=reals,
                            accumulates=accumulates,
                        )


def _fits(
    operator: KnownOperator,
    inputs: tuple[int, ...],
    factors: Mapping[str, Factors],
    solved: str,
    cases: Sequence[CaseArrays],
) -> bool:
    """Tell whether inputs of most cases hold as much as the sizes say; quick, without contents."""
    written = _list_written(cases[0])
    assignment = Assignment(
        inputs=inputs, outputs=(written[0],), factors=factors, solved=solved
    )
    fitting_count = 0
    for case in cases:
        sizes = find_sizes(operator, assignment, case)
        if sizes is not None and is_held(operator, inputs, case, sizes):
            fitting_count += 1

    return 2 * fitting_count > len(cases)


def _list_inputs(
    operator: KnownOperator, case: CaseArrays
) -> Iterator[tuple[int, ...]]:
    """Yield choices of buffers that have all that is only read."""
    readable: list[int] = []
    must_be_read: set[int] = set()
    for number, arrays in enumerate(case.buffers):
        if arrays.buffer.role is BufferRole.IN:
            must_be_read.add(number)
        if arrays.buffer.role in (BufferRole.IN, BufferRole.INOUT):
            readable.append(number)

    count = len(operator.inputs)
    if len(readable) > _MAX_INPUTS or len(must_be_read) > count:
        return

    for choice in itertools.permutations(readable, count):
        if not must_be_read <= set(choice):
            continue
        is_fitting = all(
            not (operator.takes_index(place) and case.buffers[number].scalar.is_real)
            for place, number in enumerate(choice)
        )
        if is_fitting:
            yield choice


def _list_written(case: CaseArrays) -> list[int]:
    return [
        number
        for number, arrays in enumerate(case.buffers)
        if arrays.buffer.role.is_written
    ]


def _list_outputs(case: CaseArrays) -> Iterator[tuple[int, ...]]:
    """Yield which written buffer may be which output, the first always among them."""
    written = _list_written(case)
    if not 1 <= len(written) <= 3:
        return
    slots = (*written, -1) if len(written) == 2 else tuple(written)
    for choice in itertools.permutations(slots):
        if choice[0] >= 0:
            yield choice


def _list_reals(
    operator: KnownOperator, case: CaseArrays
) -> Iterator[tuple[str | float, ...]]:
    """Yield choices of real numbers that use all that the kernel takes."""
    names = list(case.reals)
    count = len(operator.reals)
    if len(names) > count:
        return

    choice_count = 0
    for places in itertools.permutations(range(count), len(names)):
        by_place = dict(zip(places, names, strict=True))
        usual: list[tuple[str | float, ...]] = [
            (by_place[place],) if place in by_place else operator.reals[place]
            for place in range(count)
        ]
        for choice in itertools.product(*usual):
            choice_count += 1
            if choice_count > _MAX_REAL_CHOICES:
                return
            yield choice


def _list_accumulations(
    operator: KnownOperator,
    case: CaseArrays,
    inputs: tuple[int, ...],
    outputs: tuple[int, ...],
) -> tuple[bool, ...]:
    output = outputs[0]
    is_read = case.buffers[output].buffer.role is BufferRole.INOUT
    if operator.accumulates and is_read and output not in inputs:
        return (False, True)

    return (False,)


def _list_factors(
    operator: KnownOperator, cases: Sequence[CaseArrays]
) -> Iterator[tuple[Mapping[str, Factors], str]]:
    """Yield which whole numbers are factors of which size, and which size has to be solved.

    A size is solved where every parameter has a meaning and none is left for it: the length of a
    buffer says no more than what the kernel touches, and must not stand for a size that it takes.
    """
    case = cases[0]
    names = list(case.integers)[:_MAX_INTEGERS]
    letters = operator.letters
    targets = _list_targets(operator, names)
    if math.prod(len(choices) for choices in targets) > _MAX_ASSIGNMENTS:
        return

    choices = list(itertools.product(*targets))
    choices.sort(key=lambda choice: choice.count(""))
    for choice in choices:
        factors: dict[str, Factors] = {
            letter: tuple(
                name
                for name, target in zip(names, choice, strict=True)
                if target == letter
            )
            for letter in (*letters, *operator.settings)
        }
        # a setting is one number
        if any(len(factors[setting]) > 1 for setting in operator.settings):
            continue

        if _leaves_twin(choice, names, factors, cases):
            continue

        missing = [letter for letter in letters if not factors[letter]]
        is_all_used = all(
            target or name in case.constants
            for name, target in zip(names, choice, strict=True)
        )
        if not missing:
            yield factors, ""
        elif len(missing) == 1 and is_all_used:
            yield factors, missing[0]


def _leaves_twin(
    choice: Sequence[str],
    names: Sequence[str],
    factors: Mapping[str, Factors],
    cases: Sequence[CaseArrays],
) -> bool:
    """Tell whether a number is left out that is a size in all cases: nobody could tell which of
    the two the kernel goes by.
    """
    left_out = [name for name, target in zip(names, choice, strict=True) if not target]
    sizes = [used for used in factors.values() if used]

    return any(
        all(
            case.integers[name] == math.prod(case.integers[part] for part in used)
            for case in cases
        )
        for name in left_out
        for used in sizes
    )


def _list_targets(operator: KnownOperator, names: Sequence[str]) -> list[list[str]]:
    """Return for each whole number the sizes and settings that it may be; "" is none."""
    everything = [*operator.letters, *operator.settings, ""]
    if len(everything) ** len(names) <= _MAX_ASSIGNMENTS:
        return [everything] * len(names)

    targets = []
    for name in names:
        named = [
            target
            for target in everything
            if target and _is_named(operator, target, name)
        ]
        targets.append(named or [""])

    return targets


def _is_named(operator: KnownOperator, target: str, name: str) -> bool:
    bare = name.lower().strip("_").replace("_", "")
    return bare in (target, *operator.size_names.get(target, ()))
