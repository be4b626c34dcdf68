"""Count what came of candidates: shares, pass@k and fast_p of all tasks and of groups of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import comb
from statistics import fmean
from typing import Final

from crawler.judging.judgement import Judgement

FAST_FACTORS: Final = ("1", "1.5", "2")
"""Of fast_p: how many times as fast as the reference, or with as few steps, one has to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRates:
    """What came of the candidates of one group of tasks."""

    group: str
    """`class:reduction`, `licence:permissive`, `language:hip`, `device:rocm:gfx942`,
    `target:gfx90a`; `all` for every task.
    """
    tasks: int
    candidates: int
    pass_call: int
    """How many compile."""
    pass_exe: int
    """How many are right."""
    refused: int
    """How many did what no honest kernel does."""
    pass_at: dict[int, float]
    """k to pass@k, over the tasks with at least k candidates; without those that have none."""
    fast_at: dict[str, float]
    """p to fast_p: the share of candidates that are right and take less than the p-th part of the
    reference's time, or on a CPU of its steps; empty where nobody measured.

    Source: Ouyang et al., KernelBench: Can LLMs Write Efficient GPU Kernels? (2025).
    """


def estimate_pass_at(candidates: int, passing: int, k: int) -> float:
    """Return the unbiased estimate of the chance that one of `k` candidates passes, from
    `candidates`, at least `k`, of which `passing` do: 1 - C(n-c, k) / C(n, k).

    Source: Chen et al., Evaluating Large Language Models Trained on Code (2021), section 2.1.
    """
    if not 1 <= k <= candidates or not 0 <= passing <= candidates:
        raise ValueError(f"pass@{k} is not to be had of {passing} in {candidates}")
    # of integers, so that no order of multiplication rounds
    return 1 - comb(candidates - passing, k) / comb(candidates, k)


def count_pass_rates(
    judgements: Iterable[Judgement], ks: Sequence[int]
) -> list[PassRates]:
    """Return the rates of all tasks, then of each group by its name.

    Candidates that could not be judged for want of a task or a test count nowhere.
    """
    members: defaultdict[str, list[Judgement]] = defaultdict(list)
    members["all"] = []
    for judgement in judgements:
        if judgement.pass_call is None:
            continue
        members["all"].append(judgement)
        members[f"language:{judgement.language}"].append(judgement)
        members[f"device:{judgement.device}"].append(judgement)
        for group in judgement.groups:
            members[group].append(judgement)
        for target, compiles in judgement.by_target.items():
            of_target = replace(judgement, pass_call=compiles)
            members[f"target:{target}"].append(of_target)

    # `all` was put in first, and stays there
    names = ["all", *sorted(name for name in members if name != "all")]
    return [_count_group(name, members[name], ks) for name in names]


def _count_group(
    name: str, judgements: Sequence[Judgement], ks: Sequence[int]
) -> PassRates:
    by_task: defaultdict[str, list[bool]] = defaultdict(list)
    for judgement in judgements:
        by_task[judgement.task_id].append(bool(judgement.pass_exe))

    pass_at: dict[int, float] = {}
    for k in ks:
        estimates = [
            estimate_pass_at(len(results), sum(results), k)
            for results in by_task.values()
            if len(results) >= k
        ]
        if estimates:
            pass_at[k] = fmean(estimates)

    return PassRates(
        group=name,
        tasks=len(by_task),
        candidates=len(judgements),
        pass_call=sum(bool(judgement.pass_call) for judgement in judgements),
        pass_exe=sum(bool(judgement.pass_exe) for judgement in judgements),
        refused=sum(bool(judgement.refusal) for judgement in judgements),
        pass_at=pass_at,
        fast_at=_count_fast(judgements),
    )


def _count_fast(judgements: Sequence[Judgement]) -> dict[str, float]:
    costs = [each.costs for each in judgements if each.costs is not None]
    if not costs:
        return {}
    return {
        factor: sum(own * float(factor) < reference for own, reference in costs)
        / len(judgements)
        for factor in FAST_FACTORS
    }
