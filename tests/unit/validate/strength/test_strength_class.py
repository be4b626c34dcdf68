"""Both shares decide whether a suite is strong, and what was not counted is neither."""

from __future__ import annotations

import pytest

from crawler.model import Strength
from crawler.validate.strength.strength_class import (
    StrengthThresholds,
    classify_strength,
)

USUAL = StrengthThresholds()


def classify(*counts: int, thresholds: StrengthThresholds = USUAL) -> str:
    branches, reached, mutants, killed = counts
    strength = Strength(
        branches=branches, branches_reached=reached, mutants=mutants, killed=killed
    )
    return classify_strength(strength, thresholds).strength_class.value


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((10, 9, 10, 8), "strong"),
        ((10, 8, 10, 10), "weak"),
        ((10, 10, 10, 7), "weak"),
        # no branch is one that no case takes
        ((0, 0, 5, 5), "strong"),
        ((-1, -1, 10, 10), "unmeasured"),
        ((10, 10, -1, -1), "unmeasured"),
        # no mutant to tell says nothing
        ((10, 10, 0, 0), "unmeasured"),
    ],
)
def test_both_shares_must_be_reached(
    counts: tuple[int, int, int, int], expected: str
) -> None:
    assert classify(*counts) == expected


def test_the_thresholds_decide() -> None:
    strict = StrengthThresholds(branches=1.0, mutants=1.0)
    assert classify(10, 9, 10, 9, thresholds=strict) == "weak"
    lax = StrengthThresholds(branches=0.0, mutants=0.5)
    assert classify(10, 0, 10, 5, thresholds=lax) == "strong"


def test_the_counts_stay_as_they_are() -> None:
    strength = Strength(branches=4, branches_reached=3, mutants=2, killed=1)
    classified = classify_strength(strength, USUAL)
    assert (classified.branches_reached, classified.killed) == (3, 1)
