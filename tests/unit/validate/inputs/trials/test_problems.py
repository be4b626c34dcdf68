"""Findings that a run must not have, and notes that it may."""

from __future__ import annotations

import pytest

from crawler.validate.emulator.execution_report import (
    SHARED_MEMORY,
    Execution,
    Finding,
    Outcome,
)
from crawler.validate.inputs.trials.problems import (
    find_problems,
    find_undefined_arithmetic,
)


def execute(*kinds: str, outcome: Outcome = Outcome.DONE, buffer: int = 0) -> Execution:
    findings = tuple(
        Finding(kind=kind, count=1, block=(0, 0, 0), thread=(0, 0, 0), buffer=buffer)
        for kind in kinds
    )
    return Execution(outcome=outcome, findings=findings)


@pytest.mark.parametrize(
    ("kinds", "problems"),
    [
        ((), ()),
        (("race", "overwrite"), ("race", "overwrite")),
        (("integer-overflow",), ()),
        (("something-new", "trap"), ("trap",)),
        (("race", "race"), ("race", "race")),
    ],
)
def test_what_disqualifies_a_run(
    kinds: tuple[str, ...], problems: tuple[str, ...]
) -> None:
    assert find_problems(execute(*kinds)) == problems


def test_while_sizes_are_sought_an_access_outside_is_no_problem() -> None:
    execution = execute("out-of-bounds", "race")
    assert find_problems(execution) == ("out-of-bounds", "race")
    assert find_problems(execution, ignore_out_of_bounds=True) == ("race",)


def test_shared_memory_has_the_size_of_its_launch_also_then() -> None:
    execution = execute("out-of-bounds", buffer=SHARED_MEMORY)
    assert find_problems(execution, ignore_out_of_bounds=True) == ("out-of-bounds",)


def test_an_access_that_ended_the_run_is_a_problem_also_then() -> None:
    execution = execute("out-of-bounds", outcome=Outcome.FAULT)
    assert find_problems(execution, ignore_out_of_bounds=True) == ("out-of-bounds",)


def test_a_run_that_was_killed_has_a_problem_of_its_own() -> None:
    assert find_problems(Execution(outcome=Outcome.KILLED)) == ("killed",)
    assert find_problems(Execution(outcome=Outcome.FAULT)) == ()


def test_undefined_arithmetic_is_told_apart_from_all_else() -> None:
    execution = execute("shift", "race", "float-cast", "shift")
    assert find_undefined_arithmetic(execution) == {"shift", "float-cast"}
    assert find_undefined_arithmetic(execute("trap")) == frozenset()
