"""Branches are told by clang's own text, and taken where its counters say so."""

from __future__ import annotations

from crawler.validate.strength.coverage_mapping import (
    evaluate_counter,
    find_taken_branches,
    function_name_digest,
    parse_branches,
)

TOLD = """_Z1kv:
  File 0, 7:83 -> 13:2 = #0
  Expansion,File 0, 8:3 -> 8:7 = #0 (Expanded file = 1)
  File 0, 9:5 -> 9:5 = #1
  Branch,File 0, 9:5 -> 9:5 = #2, (#1 - #2)
  Branch,File 0, 10:9 -> 10:10 = 0, 0
  Branch,File 0, 11:28 -> 11:34 = #5, ((#2 - #3) - #5)
  File 1, 2:20 -> 2:109 = #0
  Branch,File 1, 2:72 -> 2:79 = #1, (((#0 + #3) + #4) - #1)
unit.cpp:_ZL3oddi:
  Branch,File 0, 20:1 -> 20:4 = #1, (#0 - #1)
"""


def test_expressions_of_counters_are_sums() -> None:
    counters = (8, 3, 2)
    assert evaluate_counter("#1", counters) == 3
    assert evaluate_counter("((#0 - #1) - #2)", counters) == 3
    assert evaluate_counter("(#0 - (#1 - #2))", counters) == 7
    assert evaluate_counter("(#0 + #9)", counters) == 8
    assert evaluate_counter(")(#0", counters) == 8
    assert evaluate_counter("(" * 100_000, counters) == 0


def test_branches_are_known_by_where_they_stand_in_the_unit_and_in_its_macros() -> None:
    ways = parse_branches(TOLD)
    kernel = ways[function_name_digest("_Z1kv")]
    assert [(branch.place, branch.way) for branch in kernel] == [
        (((11, 28),), True),
        (((11, 28),), False),
        (((8, 3), (2, 72)), True),
        (((8, 3), (2, 72)), False),
    ]
    assert {branch.line for branch in kernel} == {8, 11}
    # a function of one file is known by that file's name, joined in another way
    assert [
        branch.line for branch in ways[function_name_digest("unit.cpp;_ZL3oddi")]
    ] == [
        20,
        20,
    ]


def test_a_branch_is_taken_where_its_counter_is_more_than_nothing() -> None:
    counts = [(function_name_digest("_Z1kv"), (1, 1, 4, 0, 0, 4)), (12345, (1, 1))]
    assert [
        (branch.line, branch.way)
        for branch in find_taken_branches(parse_branches(TOLD), counts)
    ] == [(11, True), (8, True)]
