"""All mutants of a unit stand in one text, and the same ones are drawn every time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.strength.mutant_schemata import (
    build_mutants,
    draw_changes,
    weave_changes,
)
from crawler.validate.strength.mutation_sites import Change, find_changes
from tests.plain import plain_unit

SOURCE = """#include <kernelset/cuda.cuh>
__global__ void k(const int* a, int* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = a[i] * 3 - n;
}
"""
UNIT = plain_unit(SOURCE)
CHANGES = list(find_changes(SOURCE))


def make_change(begin: int, end: int, text: str) -> Change:
    return Change(kind="constant", begin=begin, end=end, line=1, text=text)


def weave(source: str, *changes: Change) -> str:
    text, _ = weave_changes(source, dict(enumerate(changes, 1)))
    return text


def test_a_change_stands_before_what_it_may_replace() -> None:
    text = weave("x = 1;", make_change(4, 5, "1 + 1"))
    assert text == "x = \n(KS_MUTANT(1) ? (1 + 1)\n:(1))\n;"


def test_changes_of_one_place_stand_behind_each_other() -> None:
    text = weave("x = 1;", make_change(4, 5, "2"), make_change(4, 5, "3"))
    assert text == "x = \n(KS_MUTANT(1) ? (2)\n:KS_MUTANT(2) ? (3)\n:(1))\n;"


def test_an_inner_change_stands_in_the_outer_one() -> None:
    text = weave("x = a + 1;", make_change(8, 9, "2"), make_change(4, 9, "a - 1"))
    outer = "\n(KS_MUTANT(2) ? (a - 1)\n:("
    inner = "\n(KS_MUTANT(1) ? (2)\n:(1))\n"
    assert text == f"x = {outer}a + {inner}))\n;"


def test_a_source_without_changes_is_as_it_was() -> None:
    assert weave_changes(SOURCE, {})[0] == SOURCE


def test_places_are_bytes_of_a_text_with_other_letters() -> None:
    source = "/* Größe */ x = 1;"
    begin = source.encode().index(b"1")
    text = weave(source, make_change(begin, begin + 1, "2"))
    assert text == "/* Größe */ x = \n(KS_MUTANT(1) ? (2)\n:(1))\n;"


def test_a_line_belongs_to_the_one_change_that_stands_on_it() -> None:
    changes = {7: make_change(4, 5, "3"), 9: make_change(11, 12, "4")}
    text, changes_by_line = weave_changes("x = 1;\ny = 2;\n", changes)
    lines = text.split("\n")
    for number in changes:
        line = 1 + next(
            index for index, line in enumerate(lines) if f"KS_MUTANT({number})" in line
        )
        assert changes_by_line[line] == {number}
    assert changes_by_line[len(lines)] == set()


@given(st.integers(0, len(CHANGES) + 3))
def test_as_many_are_drawn_as_there_may_be_in_their_order(max_mutants: int) -> None:
    drawn = draw_changes(UNIT, CHANGES, max_mutants)
    assert len(drawn) == min(max_mutants, len(CHANGES))
    places = [CHANGES.index(change) for change in drawn]
    assert places == sorted(set(places))
    assert drawn == draw_changes(UNIT, CHANGES, max_mutants)


def test_who_may_draw_more_draws_the_same_ones_too() -> None:
    few = draw_changes(UNIT, CHANGES, 3)
    longer_draw = draw_changes(UNIT, CHANGES, 5)
    assert all(change in longer_draw for change in few)


def test_other_units_draw_others() -> None:
    draws = {
        tuple(draw_changes(plain_unit(f"{SOURCE}// {number}"), CHANGES, 3))
        for number in range(8)
    }
    assert len(draws) > 1


def kinds(changes: Sequence[Change]) -> set[str]:
    return {change.kind for change in changes}


@pytest.mark.apt
def test_mutants_of_a_kernel_are_one_program() -> None:
    mutants = build_mutants(UNIT, CHANGES, max_mutants=100)
    assert mutants is not None
    assert list(mutants.changes.values()) == CHANGES
    assert mutants.program.executable


@pytest.mark.apt
def test_a_change_that_does_not_compile_is_left_out_alone() -> None:
    begin = SOURCE.index("a[i] * 3")
    broken = make_change(begin, begin + len("a[i] * 3"), "no_such_name")
    mutants = build_mutants(UNIT, [*CHANGES, broken], max_mutants=100)
    assert mutants is not None
    assert list(mutants.changes.values()) == CHANGES


@pytest.mark.apt
def test_a_unit_that_does_not_compile_has_no_mutants() -> None:
    unit = plain_unit(
        "#include <kernelset/cuda.cuh>\n__global__ void k(Unknown* a) { a[0] = 1 + 2; }\n"
    )
    changes = list(find_changes(unit.source))
    assert kinds(changes)
    assert build_mutants(unit, changes, max_mutants=100) is None
