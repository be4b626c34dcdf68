"""A mutant with the kernel's own machine code is told from one that computes otherwise."""

from __future__ import annotations

import pytest

from crawler.validate.strength.equivalent_mutants import find_equivalent_mutants
from crawler.validate.strength.mutation_sites import Change
from tests.plain import plain_unit

SOURCE = """#include <kernelset/cuda.cuh>
__global__ void k(int* out, int n) {
  out[0] = n + 0;
}
"""
UNIT = plain_unit(SOURCE)


def change_sum(text: str) -> Change:
    begin = SOURCE.index("n + 0")
    return Change(
        kind="arithmetic", begin=begin, end=begin + len("n + 0"), line=3, text=text
    )


@pytest.mark.apt
def test_what_an_optimiser_makes_the_same_of_is_equivalent() -> None:
    changes = {3: change_sum("n - 0"), 5: change_sum("n + 1"), 8: change_sum("n * 1")}
    assert find_equivalent_mutants(UNIT, changes) == {3, 8}


@pytest.mark.apt
def test_a_change_that_does_not_compile_is_not_equivalent() -> None:
    assert find_equivalent_mutants(UNIT, {1: change_sum("no_such_name")}) == set()


@pytest.mark.apt
def test_nothing_is_equivalent_to_a_unit_that_does_not_compile() -> None:
    unit = plain_unit(SOURCE.replace("int n", "Unknown n"))
    assert find_equivalent_mutants(unit, {1: change_sum("n - 0")}) == set()


def test_without_changes_nothing_is_compiled() -> None:
    assert find_equivalent_mutants(UNIT, {}) == frozenset()
