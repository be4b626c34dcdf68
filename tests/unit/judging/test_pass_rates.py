"""Shares and pass@k, held against counting every choice of k candidates."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.judging.judgement import Judgement
from crawler.judging.pass_rates import count_pass_rates, estimate_pass_at


def judgement(
    task: str,
    passes: bool | None,
    *groups: str,
    starts: bool | None = True,
    device: str = "cpu",
) -> Judgement:
    return Judgement(
        task_id=task,
        number=0,
        completion="",
        language="hip",
        device=device,
        groups=groups,
        pass_call=starts,
        pass_exe=passes,
    )


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(1, 8))
def test_pass_at_k_is_the_share_of_choices_with_one_that_passes(
    results: list[bool], k: int
) -> None:
    if k > len(results):
        with pytest.raises(ValueError, match="not to be had"):
            estimate_pass_at(len(results), sum(results), k)
        return
    counted = fmean(any(choice) for choice in combinations(results, k))
    assert estimate_pass_at(len(results), sum(results), k) == pytest.approx(counted)


def test_many_candidates_do_not_overflow() -> None:
    assert estimate_pass_at(20_000, 10_000, 10_000) == pytest.approx(1)
    assert estimate_pass_at(20_000, 1, 1) == pytest.approx(1 / 20_000)


@pytest.mark.parametrize(
    ("candidates", "passing", "k"), [(3, 1, 0), (3, 4, 1), (3, -1, 1), (0, 0, 1)]
)
def test_what_cannot_be_counted_is_refused(
    candidates: int, passing: int, k: int
) -> None:
    with pytest.raises(ValueError, match="not to be had"):
        estimate_pass_at(candidates, passing, k)


def test_a_task_counts_once_however_many_candidates_it_has() -> None:
    many = [judgement("a", passes=False) for _ in range(9)]
    rates, *_ = count_pass_rates([*many, judgement("b", passes=True)], [1, 5])
    assert rates.pass_at[1] == pytest.approx(0.5)
    # only the first has five
    assert rates.pass_at[5] == 0
    assert (rates.tasks, rates.candidates, rates.pass_exe) == (2, 10, 1)


def test_groups_come_by_name_behind_all() -> None:
    rates = count_pass_rates(
        [
            judgement("a", True, "class:scan", "licence:permissive"),
            judgement("b", False, "class:map", "licence:permissive"),
        ],
        [1],
    )
    assert [(rate.group, rate.pass_at[1]) for rate in rates] == [
        ("all", 0.5),
        ("class:map", 0.0),
        ("class:scan", 1.0),
        ("device:cpu", 0.5),
        ("language:hip", 0.5),
        ("licence:permissive", 0.5),
    ]


def test_each_arch_has_its_own_rates() -> None:
    rates = count_pass_rates(
        [
            judgement("a", True, device="rocm:gfx90a"),
            judgement("b", True, device="rocm:gfx942"),
            judgement("c", False, device="rocm:gfx942"),
        ],
        [1],
    )
    by_group = {rate.group: rate.pass_at[1] for rate in rates}
    assert (by_group["device:rocm:gfx90a"], by_group["device:rocm:gfx942"]) == (1, 0.5)


def test_who_was_not_judged_counts_nowhere() -> None:
    (rates,) = count_pass_rates([judgement("a", None, starts=None)], [1])
    assert (rates.group, rates.tasks, rates.candidates) == ("all", 0, 0)
    assert rates.pass_at == {}


def test_fast_p_is_the_share_of_all_that_takes_so_many_times_fewer_steps() -> None:
    right = replace(judgement("a", True), reference_steps=300)
    steps = (300, 299, 200, 199, 150, 149)
    judged = [replace(right, steps=each) for each in steps]
    # wrong ones, and those that nobody counted, are of all as well
    judged += [judgement("a", False), replace(right, reference_steps=-1)]
    (overall, *_) = count_pass_rates(judged, [1])
    assert overall.fast_at == {"1": 5 / 8, "1.5": 3 / 8, "2": 1 / 8}


def test_a_target_counts_what_compiles_for_it() -> None:
    both, one = {"gfx90a": True, "gfx942": True}, {"gfx90a": True, "gfx942": False}
    rates = count_pass_rates(
        [
            replace(judgement("a", True), by_target=both),
            replace(judgement("a", False, starts=False), by_target=one),
        ],
        [1],
    )
    counts = {rate.group: (rate.candidates, rate.pass_call) for rate in rates}
    assert counts["target:gfx942"] == (2, 1)
    assert counts["target:gfx90a"] == (2, 2)
    assert counts["all"] == (2, 1)


def test_fast_p_is_of_times_where_a_gpu_took_them() -> None:
    timed = [
        replace(
            judgement("a", True, device="cuda:sm_90"),
            milliseconds=own,
            reference_milliseconds=3.0,
        )
        for own in (4.0, 2.5, 1.0, -1.0)
    ]
    overall = count_pass_rates(timed, [1])[0]
    assert overall.fast_at == {"1": 2 / 4, "1.5": 1 / 4, "2": 1 / 4}


def test_without_counts_there_is_no_fast_p() -> None:
    (overall, *_) = count_pass_rates([judgement("a", True)], [1])
    assert overall.fast_at == {}
