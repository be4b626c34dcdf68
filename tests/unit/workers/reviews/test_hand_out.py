"""Reviewers are handed what nobody else has, and do not see what others said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from crawler.model import Review, ReviewVerdict
from storage.errors import BadQuery
from storage.in_memory.index import InMemoryKernelIndex
from tests.unit.storage.samples import REPO, make_kernel, make_unit
from workers.reviews.blindness import select_visible_reviews
from workers.reviews.hand_out import find_record, hand_out_kernel

NAMES = ("ant", "bee", "cat", "dog")
UNITS = {name: make_unit(f"{name} body") for name in NAMES}


@pytest.fixture
def index() -> InMemoryKernelIndex:
    index = InMemoryKernelIndex()
    kernels = [
        make_kernel(name, offset, unit=UNITS[name]) for offset, name in enumerate(NAMES)
    ]
    index.put_kernels(REPO, [*kernels, make_kernel("no_unit", 99)])
    return index


def say(name: str, reviewer: str, verdict: ReviewVerdict, at: float = 1.0) -> Review:
    return Review(
        unit=UNITS[name].digest,
        reviewer=reviewer,
        verdict=verdict,
        note="since",
        reviewed_at=at,
    )


def hand_outs(
    index: InMemoryKernelIndex, reviewer: str, expression: str = ""
) -> Iterator[str]:
    while row := hand_out_kernel(index, index.reviews, reviewer, expression):
        yield row.name
        index.reviews.put([say(row.name, reviewer, ReviewVerdict.ACCEPTED)])


def test_one_reviewer_gets_every_kernel_with_a_unit_once(
    index: InMemoryKernelIndex,
) -> None:
    assert list(hand_outs(index, "ada")) == list(NAMES)


def test_two_at_a_time_get_different_ones(index: InMemoryKernelIndex) -> None:
    first = hand_out_kernel(index, index.reviews, "ada")
    second = hand_out_kernel(index, index.reviews, "bob")
    again = hand_out_kernel(index, index.reviews, "ada")
    assert first
    assert second
    assert again
    assert (first.name, second.name, again.name) == ("ant", "bee", "ant")


def test_disputes_come_first_then_second_looks_then_what_is_new(
    index: InMemoryKernelIndex,
) -> None:
    index.reviews.put(
        [
            say("dog", "ada", ReviewVerdict.ACCEPTED),
            say("dog", "bob", ReviewVerdict.REJECTED),
            say("cat", "ada", ReviewVerdict.ACCEPTED),
        ]
    )
    assert list(hand_outs(index, "eve")) == ["dog", "cat", "ant", "bee"]


def test_what_two_agree_on_is_done(index: InMemoryKernelIndex) -> None:
    assert list(hand_outs(index, "ada")) == list(NAMES)
    assert sorted(hand_outs(index, "bob")) == list(NAMES)
    assert list(hand_outs(index, "eve")) == []


def test_an_expression_narrows_it(index: InMemoryKernelIndex) -> None:
    assert list(hand_outs(index, "ada", "name = bee or name = cat")) == ["bee", "cat"]
    with pytest.raises(BadQuery, match="`nam` is no field"):
        hand_out_kernel(index, index.reviews, "ada", "nam = bee")


def test_an_expression_does_not_tell_what_others_said(
    index: InMemoryKernelIndex,
) -> None:
    for expression in ("review = rejected", "not (name = bee or review != accepted)"):
        with pytest.raises(BadQuery, match="leave it out"):
            hand_out_kernel(index, index.reviews, "ada", expression)


def test_superseded_kernels_are_not_handed_out(index: InMemoryKernelIndex) -> None:
    index.supersede(replace(REPO, commit="2"))
    assert hand_out_kernel(index, index.reviews, "ada") is None
    assert find_record(index, UNITS["ant"].digest), "it can still be looked at"
    assert find_record(index, "00" * 32) is None


def test_a_reviewer_is_blind_until_they_have_said_something() -> None:
    history = [say("ant", "ada", ReviewVerdict.ACCEPTED)]
    assert select_visible_reviews(history, "bob") == ()
    assert select_visible_reviews(history, "") == tuple(history)
    history.append(say("ant", "bob", ReviewVerdict.REJECTED, 2.0))
    assert select_visible_reviews(history, "bob") == tuple(history)
