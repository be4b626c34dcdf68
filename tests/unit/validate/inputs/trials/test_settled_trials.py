"""Which results are usable, and which are clean."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.inputs.trials.settled_trials import (
    count_touched_buffers,
    writes_any_buffer,
)
from tests.stand_ins.subjects import build_base, build_plain_subject

BASE = build_base(build_plain_subject())


@pytest.mark.parametrize(
    ("problems", "is_usable", "is_clean"),
    [
        ((), True, True),
        # Threads that write the same place may write the same value.
        (("overwrite",), True, False),
        (("race",), False, False),
        (("overwrite", "race"), False, False),
    ],
)
def test_a_run_with_problems_is_not_usable(
    problems: tuple[str, ...], is_usable: bool, is_clean: bool
) -> None:
    result = replace(BASE, problems=problems)
    assert (result.is_usable, result.is_clean) == (is_usable, is_clean)


def test_a_run_that_did_not_end_or_has_wrong_sizes_is_not_usable() -> None:
    broken = replace(BASE.execution, outcome=Outcome.FAULT)
    assert not replace(BASE, execution=broken).is_usable
    assert not replace(BASE, is_converged=False).is_usable


def test_a_case_may_have_the_problems_of_its_base_alone() -> None:
    racing = replace(BASE, problems=("overwrite",))
    assert BASE.is_as_clean_as(racing)
    assert racing.is_as_clean_as(racing)
    assert not racing.is_as_clean_as(BASE)


def test_buffers_that_a_run_uses_are_counted() -> None:
    assert count_touched_buffers(BASE.execution) == 3
    assert writes_any_buffer(BASE.execution)
    reads_only = replace(BASE.execution, accesses=BASE.execution.accesses[:2])
    assert not writes_any_buffer(reads_only)
