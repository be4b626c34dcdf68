"""Splits are by family, the same every time, and of the sizes that were asked for."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dataset.selection.splits import (
    DEFAULT_SPLITS,
    SplitPlan,
    parse_split_shares,
)
from crawler.errors import Misconfigured
from crawler.similarity.repository_families import (
    RepositoryCluster,
    find_repository_families,
)


def test_shares_are_about_those_that_were_asked_for() -> None:
    shares = parse_split_shares(DEFAULT_SPLITS)
    counts = Counter(shares.choose_split(f"repo{number}") for number in range(10_000))
    assert 8_850 < counts["train"] < 9_150
    assert 400 < counts["validation"] < 600
    assert 400 < counts["test"] < 600


@given(st.text(), st.integers(0, 9))
def test_a_family_stays_where_it_is(family: str, seed: int) -> None:
    first = parse_split_shares(DEFAULT_SPLITS, seed).choose_split(family)
    assert parse_split_shares(DEFAULT_SPLITS, seed).choose_split(family) == first


def test_another_seed_gives_other_splits() -> None:
    names = [f"repo{number}" for number in range(100)]
    shares, other = (parse_split_shares("a=0.5,b=0.5", seed) for seed in (0, 1))
    assert [shares.choose_split(name) for name in names] != [
        other.choose_split(name) for name in names
    ]


def test_a_copy_is_in_the_split_of_its_original() -> None:
    cluster = "ab" * 32
    library = [RepositoryCluster(f"library{number}", cluster, 0) for number in range(1)]
    users = [RepositoryCluster(f"user{number}", cluster, 2) for number in range(50)]
    own = [
        RepositoryCluster(f"user{number}", f"{number + 1:064x}"[::-1], 0)
        for number in range(50)
    ]
    families = find_repository_families([*library, *users, *own])
    plan = SplitPlan(parse_split_shares("train=0.5,test=0.5"), families)
    splits = {plan.choose_split(f"user{number}", cluster) for number in range(50)}
    assert len(splits) == 1
    own_splits = {plan.choose_split(repo, own_cluster) for repo, own_cluster, _ in own}
    assert own_splits == {"train", "test"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is no split"),
        ("train", "`train` is no split"),
        ("train=0.5,test=0.6", "sum to 1.1"),
        ("train=1,test=0", "`test=0` is no split"),
        ("train=0.5,train=0.5", "is no split"),
        ("../up=1", "is no split"),
        ("train=nan", "is no split"),
        ("train=x", "is no split"),
    ],
)
def test_splits_that_are_none_are_refused(text: str, problem: str) -> None:
    with pytest.raises(Misconfigured, match=problem) as raised:
        parse_split_shares(text)
    assert raised.value.code == "bad-splits"
