"""Which tasks go with a commit: those that nothing else asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from storage.maintenance.commit_tasks import _with_exclusive_descendants

TASKS = st.integers(1, 12)
SPAWNS = st.lists(st.tuples(TASKS, TASKS).filter(lambda pair: pair[0] < pair[1]))


def test_all_that_a_task_spawned_goes_with_it() -> None:
    spawns = [(1, 2), (2, 3), (2, 4)]
    assert _with_exclusive_descendants({1}, spawns) == {1, 2, 3, 4}


def test_a_task_that_another_spawned_too_stays_with_all_below_it() -> None:
    spawns = [(1, 2), (9, 2), (2, 3)]
    assert _with_exclusive_descendants({1}, spawns) == {1}


def test_a_task_goes_where_all_that_spawned_it_go() -> None:
    spawns = [(1, 2), (1, 3), (2, 4), (3, 4)]
    assert _with_exclusive_descendants({1}, spawns) == {1, 2, 3, 4}


def test_no_tasks_take_none_along() -> None:
    assert _with_exclusive_descendants(set(), [(1, 2)]) == set()


@given(st.sets(TASKS), SPAWNS)
def test_every_task_that_goes_was_spawned_by_those_that_go_alone(
    tasks: set[int], spawns: list[tuple[int, int]]
) -> None:
    removed = _with_exclusive_descendants(tasks, spawns)
    assert tasks <= removed
    for task in removed - tasks:
        parents = {parent for parent, child in spawns if child == task}
        assert parents
        assert parents <= removed


@given(st.sets(TASKS), SPAWNS)
def test_no_task_stays_that_only_removed_ones_had_spawned(
    tasks: set[int], spawns: list[tuple[int, int]]
) -> None:
    removed = _with_exclusive_descendants(tasks, spawns)
    for task in {child for _, child in spawns} - removed:
        parents = {parent for parent, child in spawns if child == task}
        assert not parents <= removed
