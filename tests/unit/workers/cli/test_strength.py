"""Branches that no case takes are named by their lines."""

from __future__ import annotations

from crawler.model import Strength, Survivor
from workers.cli.strength import describe_branches, describe_mutants, describe_spread


def test_branches_that_no_case_takes_are_named() -> None:
    complete = Strength(branches=4, branches_reached=4)
    assert describe_branches(complete) == "4 of 4"
    partial = Strength(branches=4, branches_reached=2, unreached=(7, 12))
    remainder = "no case takes the others, on lines 7, 12 of the unit"
    assert describe_branches(partial) == f"2 of 4: {remainder}"


def test_a_single_line_is_not_spoken_of_as_several() -> None:
    partial = Strength(branches=2, branches_reached=1, unreached=(5,))
    assert describe_branches(partial).endswith("on line 5 of the unit")


def test_mutants_are_counted() -> None:
    strength = Strength(mutants=9, killed=8)
    assert describe_mutants(strength) == "8 of 9 told from the kernel"


def test_mutants_that_survive_are_named_by_their_lines() -> None:
    survivors = tuple(
        Survivor(line=line, before="i < n", after="i <= n") for line in (7, 12, 7)
    )
    strength = Strength(mutants=9, killed=6, survivors=survivors)
    remainder = "others change lines 7, 12 of the unit"
    assert describe_mutants(strength) == f"6 of 9 told from the kernel: {remainder}"


def test_the_weakest_tenth_stands_beside_the_median() -> None:
    spread = {"median": 0.944, "p10": 0.5}
    assert describe_spread(spread) == "mutants killed: median 94 %, p10 50 %"
