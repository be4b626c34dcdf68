"""A simulated crawl finishes every task, and what is scarce bounds how fast."""

from __future__ import annotations

import argparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.cluster.crawl_simulation import (
    STAGE_ORDER,
    Costs,
    Simulation,
    simulate_crawl,
)

COSTS = Costs(ledger=0.01, dispatch=0.001, round=0.0)


def simulate(
    workers: int, repositories: int, *, cores: int = 2, shorter: int = 1
) -> Simulation:
    """Simulate tasks of one second, two of each stage in a repository."""
    return simulate_crawl(
        {stage: [1.0] for stage in STAGE_ORDER},
        dict.fromkeys(STAGE_ORDER, 2),
        COSTS,
        argparse.Namespace(workers=workers, repositories=repositories, cores=cores),
        shorter,
    )


@given(workers=st.integers(1, 50), repositories=st.integers(1, 20))
def test_every_task_is_done_once(workers: int, repositories: int) -> None:
    run = simulate(workers, repositories)
    tasks = 2 * len(STAGE_ORDER) * repositories
    assert run.tasks == tasks
    assert run.worked == pytest.approx(tasks)
    assert run.ledger == pytest.approx(tasks * COSTS.ledger)
    assert not run.ready


def test_stages_of_one_repository_follow_each_other() -> None:
    assert simulate(1000, 1).seconds > len(STAGE_ORDER)


def test_one_worker_takes_as_long_as_all_tasks() -> None:
    run = simulate(1, 4)
    assert run.seconds == pytest.approx(run.worked + run.ledger, rel=0.05)


def test_the_database_bounds_the_rate_of_short_tasks() -> None:
    run = simulate(1000, 50, cores=1, shorter=1000)
    assert run.seconds >= run.tasks * COSTS.ledger
    assert simulate(1000, 50, cores=2, shorter=1000).seconds < run.seconds
