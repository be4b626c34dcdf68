"""Of each group of near copies one kernel is kept: the one of which most is proven."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dataset.selection.originals import Originals, Rank, rank_kernel
from crawler.dataset.selection.skip_counts import SkipCounts, SkipReason
from crawler.model import Licence, LicenceClass

PLAIN: dict[str, Any] = {
    "has_unit": True,
    "execution_statuses": (),
    "build_statuses": (),
    "path": "src/a.cu",
}
RANKS = st.builds(
    Rank, st.booleans(), st.integers(0, 3), st.integers(0, 3), st.integers(-4, 0)
)
CLUSTERS = st.sampled_from(["a" * 64, "b" * 64, "c" * 64])


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"has_unit": True}, {"has_unit": False}),
        ({"execution_statuses": ("pass",)}, {"execution_statuses": ("consistent",)}),
        ({"execution_statuses": ("consistent",)}, {"execution_statuses": ()}),
        ({"execution_statuses": ()}, {"execution_statuses": ("fail",)}),
        # the best of several devices counts
        ({"execution_statuses": ("fail", "pass")}, {"execution_statuses": ()}),
        ({"build_statuses": ("pass", "pass")}, {"build_statuses": ("pass", "fail")}),
        ({"path": "a.cu"}, {"path": "third_party/lib/a.cu"}),
        # what ran is worth more than for how many targets it compiles
        (
            {"execution_statuses": ("consistent",)},
            {"build_statuses": ("pass", "pass"), "execution_statuses": ("fail",)},
        ),
        # and that more than where it lies
        ({"build_statuses": ("pass",), "path": "x/y/z/a.cu"}, {"path": "a.cu"}),
        # a unit comes before all else
        (
            {"path": "x/y/z/a.cu"},
            {"has_unit": False, "execution_statuses": ("pass",), "path": "a.cu"},
        ),
    ],
)
def test_the_better_example_has_the_higher_rank(
    better: dict[str, Any], worse: dict[str, Any]
) -> None:
    assert rank_kernel(**{**PLAIN, **better}) > rank_kernel(**{**PLAIN, **worse})


@pytest.mark.parametrize(
    ("path", "nearness"),
    [
        ("a.cu", 0),
        ("a/b/c.cu", -2),
        ("/".join(["d"] * 200), -99),
        # an index shortens it, so that all who rank it must call it equally deep
        ("x" * 500, 0),
        ("x" * 501, -99),
        ("é" * 251, -99),
        ("\udcff" * 10, 0),
    ],
)
def test_a_path_is_as_near_as_it_has_folders(path: str, nearness: int) -> None:
    assert rank_kernel(**{**PLAIN, "path": path}).nearness == nearness


@given(offers=st.lists(st.tuples(CLUSTERS, RANKS), max_size=12))
def test_of_each_group_the_first_of_the_best_is_kept(
    offers: list[tuple[str, Rank]],
) -> None:
    originals = Originals()
    for cluster, rank in offers:
        originals.offer(cluster, "cuda", rank)
    kept_positions = [
        position
        for position, (cluster, rank) in enumerate(offers)
        if originals.is_original(cluster, "cuda", rank)
    ]

    expected: list[int] = []
    for cluster in {cluster for cluster, _ in offers}:
        places = [
            position for position, (name, _) in enumerate(offers) if name == cluster
        ]
        expected.append(max(places, key=lambda at: (offers[at][1], -at)))
    assert kept_positions == sorted(expected)


@given(ranks=st.lists(RANKS, min_size=1, max_size=8))
def test_an_offer_says_whether_it_is_the_best_so_far(ranks: list[Rank]) -> None:
    originals = Originals()
    answers = [originals.offer("a" * 64, "cuda", rank) for rank in ranks]
    assert answers == [
        position == 0 or rank > max(ranks[:position])
        for position, rank in enumerate(ranks)
    ]


def test_what_has_no_group_or_one_that_nobody_offered_is_no_copy() -> None:
    originals = Originals()
    rank = rank_kernel(**PLAIN)
    originals.offer("", "cuda", rank)
    assert [originals.is_original("", "cuda", rank) for _ in range(2)] == [True, True]
    assert [originals.is_original("b" * 64, "cuda", rank) for _ in range(2)] == [
        True,
        True,
    ]


MIT = Licence(spdx="MIT", kind=LicenceClass.PERMISSIVE)
GPL = Licence(spdx="GPL-3.0-only", kind=LicenceClass.COPYLEFT)


def test_what_is_left_out_is_counted_by_reason_and_licence() -> None:
    counts = SkipCounts()
    assert not counts
    for reason, licence in (
        (LicenceClass.COPYLEFT, GPL),
        (SkipReason.COPY, MIT),
        (SkipReason.COPY, GPL),
        (SkipReason.COPY, MIT),
    ):
        counts.add(reason, licence)
    assert counts
    assert [counts.count(reason) for reason in SkipReason] == [0, 3, 0]
    assert counts.count(LicenceClass.COPYLEFT) == 1
    assert counts.list_licences() == [(LicenceClass.COPYLEFT, "GPL-3.0-only", 1)]
    assert counts.list_values() == [
        {"class": "copy", "licence": "GPL-3.0-only", "kernels": 1},
        {"class": "copy", "licence": "MIT", "kernels": 2},
        {"class": "copyleft", "licence": "GPL-3.0-only", "kernels": 1},
    ]


def test_a_hip_kernel_is_no_copy_of_a_cuda_kernel() -> None:
    rank = rank_kernel(**PLAIN)
    worse = rank_kernel(**{**PLAIN, "has_unit": False})
    originals = Originals()
    originals.offer("a" * 64, "cuda", rank)
    originals.offer("a" * 64, "hip", worse)
    assert originals.is_original("a" * 64, "hip", worse)
    assert not originals.is_original("a" * 64, "cuda", worse)
    assert originals.is_original("a" * 64, "cuda", rank)
