"""What steps of a validation take: each alone, without what it calls of the others."""

from __future__ import annotations

import pytest

from benchmarks.validation.cost_steps import (
    StepMeter,
    describe_options,
    measure_steps,
)
from crawler.validate.cpu import entry_validation
from crawler.validate.emulator.program import BuildOptions


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def read(self) -> float:
        return self.seconds


def test_a_step_is_charged_without_those_inside_it() -> None:
    clock = Clock()
    meter = StepMeter(clock.read)

    with meter.enter("drafts", "python"):
        clock.seconds += 1.0
        with meter.enter("", "run plain") as cost:
            cost.launches += 3
            clock.seconds += 5.0
        clock.seconds += 2.0
    # nobody's
    clock.seconds += 9.0

    assert meter.costs["drafts", "python"].seconds == 3.0
    assert meter.costs["drafts", "run plain"].seconds == 5.0
    assert meter.costs["drafts", "run plain"].launches == 3


def test_a_step_that_fails_is_charged_and_left() -> None:
    clock = Clock()
    meter = StepMeter(clock.read)

    def fail() -> None:
        with meter.enter("", "run plain"):
            clock.seconds += 4.0
            raise ValueError("broken")

    with meter.enter("variants", "python"):
        with pytest.raises(ValueError, match="broken"):
            fail()
        clock.seconds += 1.0

    assert meter.costs["variants", "run plain"].seconds == 4.0
    assert meter.costs["variants", "python"].seconds == 1.0


def test_a_validation_is_as_it_was_when_it_has_been_measured() -> None:
    names = vars(entry_validation).copy()

    with measure_steps(StepMeter(lambda: 0.0)):
        assert vars(entry_validation) != names

    assert vars(entry_validation) == names


def test_a_kind_of_program_is_named_by_what_it_is_for() -> None:
    assert describe_options(BuildOptions(fast_build=True)) == "plain"
    assert describe_options(None) == "plain"
    assert describe_options(BuildOptions(trace=True, sanitise=True)) == "trace+sanitise"
