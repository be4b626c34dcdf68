"""Batches of units to compile stay within what one task may take."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.model import Instantiation, KernelUnit
from storage.in_memory.blobs import InMemoryBlobStore
from tests.plain import plain_unit
from workers.stages.port import (
    MAX_BATCH_INSTANTIATIONS,
    MAX_BATCH_UNITS,
    _divide_into_batches,
    _make_tasks,
)


def make_unit(number: int, instantiation_count: int) -> KernelUnit:
    instantiations = [
        Instantiation(arguments=(str(value),), label=str(value))
        for value in range(instantiation_count)
    ]
    return plain_unit(f"// {number}", *instantiations)


def test_a_third_unit_that_would_be_too_much_begins_a_batch() -> None:
    units = [make_unit(number, 20) for number in range(3)]
    batches = _divide_into_batches(units, ["sm_80"])
    assert [len(batch) for batch, _ in batches] == [2, 1]


@given(st.lists(st.integers(0, 70), max_size=40))
def test_only_a_single_unit_may_exceed_the_bound(counts: list[int]) -> None:
    units = [make_unit(number, count) for number, count in enumerate(counts)]
    batches = _divide_into_batches(units, ["sm_80"])

    compiled_digests = []
    for batch, target in batches:
        assert target == "sm_80"
        assert len(batch) <= MAX_BATCH_UNITS
        weight = sum(max(1, len(unit.instantiations)) for unit in batch)
        assert len(batch) == 1 or weight <= MAX_BATCH_INSTANTIATIONS
        compiled_digests += [unit.digest for unit in batch]

    assert sorted(compiled_digests) == sorted(unit.digest for unit in units)


def test_a_unit_of_very_many_instantiations_is_compiled_behind_all_others() -> None:
    big, small = make_unit(0, MAX_BATCH_INSTANTIATIONS + 1), make_unit(1, 1)
    tasks = list(_make_tasks([big, small], ["sm_80"], InMemoryBlobStore(), "project"))
    assert len(tasks) == 2
    long_task, short_task = tasks
    assert long_task.priority < short_task.priority
