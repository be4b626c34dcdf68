"""Every row of the table is cited, named and computed within bounds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from crawler.validate.known_operators.known_operator import (
    KnownOperator,
    NotDefined,
    Operands,
    flatten,
)
from crawler.validate.known_operators.operator_table import list_operators

OPERATORS = list_operators()
each_operator = pytest.mark.parametrize(
    "operator", OPERATORS, ids=lambda operator: operator.name
)


def test_names_are_unique() -> None:
    counts = Counter(operator.name for operator in OPERATORS)
    assert not [name for name, count in counts.items() if count > 1]
    assert len(OPERATORS) > 100


@each_operator
def test_a_row_says_what_defines_it(operator: KnownOperator) -> None:
    assert operator.source
    assert operator.words
    assert all(word == word.lower().strip() and word for word in operator.words)
    assert not set(operator.words) & set(operator.other_words)
    extended = {operator.extends} if operator.extends else set()
    assert extended <= {other.name for other in OPERATORS}


@each_operator
@pytest.mark.parametrize("extent", [1, 3])
def test_an_operator_gives_numbers_or_says_that_it_is_not_defined(
    operator: KnownOperator, extent: int
) -> None:
    letters = {letter for shape in operator.shapes for letter in shape}
    sizes = {
        **dict.fromkeys((*operator.letters, *letters), extent),
        **operator.settings,
    }
    inputs = tuple(
        np.zeros(
            [extent] * len(shape), np.int64 if operator.takes_index(number) else float
        )
        for number, shape in enumerate(operator.shapes)
    )
    operands = Operands(
        inputs=inputs,
        sizes=sizes,
        reals=(0.5,) * len(operator.reals),
        block_size=4,
        block_count=2,
    )

    with np.errstate(all="ignore"):
        try:
            outputs = flatten(operator.compute(operands))
        except (NotDefined, ValueError, ArithmeticError):
            assert extent < 3 or not np.any(inputs[0])
            return

    shape_size = extent ** len(operator.output_shape)
    assert outputs[0].dtype.kind in "fiu"
    assert not operator.output_shape or outputs[0].size == shape_size
