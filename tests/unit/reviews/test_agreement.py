"""How far reviewers agree is what the literature says it is."""

from __future__ import annotations

import pytest

from crawler.model import Review, ReviewVerdict
from crawler.reviews.agreement import compute_kappa, measure_agreement

YES, NO, WORK = ReviewVerdict


def say(unit: int, reviewer: str, verdict: ReviewVerdict, at: float = 0.0) -> Review:
    return Review(
        unit=f"{unit:064x}",
        reviewer=reviewer,
        verdict=verdict,
        note="why",
        reviewed_at=at,
    )


def test_kappa_is_that_of_the_textbook() -> None:
    # Cohen's example as it is commonly printed: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no
    pairs = [(YES, YES)] * 20 + [(YES, NO)] * 5 + [(NO, YES)] * 10 + [(NO, NO)] * 15
    assert compute_kappa(pairs) == pytest.approx(0.4)


def test_kappa_of_perfect_and_of_opposite_raters() -> None:
    assert compute_kappa([(YES, YES), (NO, NO), (WORK, WORK)]) == pytest.approx(1.0)
    assert compute_kappa([(YES, NO), (NO, YES)]) == pytest.approx(-1.0)


def test_kappa_is_not_defined_where_chance_explains_everything() -> None:
    assert compute_kappa([]) is None
    assert compute_kappa([(YES, YES)] * 5) is None


def test_the_first_verdict_counts_which_was_given_blind() -> None:
    reviews = [
        say(1, "ada", YES, 1),
        say(1, "bob", NO, 2),
        say(1, "bob", YES, 3),
        say(2, "bob", NO, 1),
        say(2, "ada", NO, 2),
        say(3, "ada", WORK, 1),
    ]
    measured = measure_agreement(reviews)
    assert (measured.reviewed, measured.twice, measured.agreeing) == (3, 2, 1)
    assert measured.by_state == {"accepted": 1, "needs-work": 1, "rejected": 1}
    assert measured.disputed == ()
    (pair,) = measured.pairs
    assert (pair.reviewers, pair.units, pair.agreeing) == (("ada", "bob"), 2, 1)
    # ada: yes, no; bob: no, no: observed 1/2, expected 1/2
    assert pair.kappa == pytest.approx(0.0)


def test_of_three_each_two_are_compared_and_disputes_are_named() -> None:
    reviews = [say(7, "ada", YES), say(7, "bob", NO), say(7, "eve", WORK)]
    measured = measure_agreement(reviews)
    assert [pair.reviewers for pair in measured.pairs] == [
        ("ada", "bob"),
        ("ada", "eve"),
        ("bob", "eve"),
    ]
    assert measured.disputed == (f"{7:064x}",)
