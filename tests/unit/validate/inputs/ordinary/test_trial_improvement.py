"""Which of several results is the better one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from crawler.validate.emulator.execution_report import BufferAccess, Outcome
from crawler.validate.inputs.ordinary.trial_improvement import measure_badness
from crawler.validate.inputs.trials.settled_trials import TrialResult
from tests.stand_ins.subjects import build_base, build_plain_subject

BASE = replace(build_base(build_plain_subject()), is_informative=True)
UNUSED = BufferAccess()


def with_accesses(result: TrialResult, *accesses: BufferAccess) -> TrialResult:
    return replace(result, execution=replace(result.execution, accesses=accesses))


def test_results_are_ordered_from_clean_to_broken() -> None:
    read, _, written = BASE.execution.accesses
    broken = replace(BASE, problems=("race",))
    ended = replace(BASE, execution=replace(BASE.execution, outcome=Outcome.FAULT))
    ordered = [
        BASE,
        replace(BASE, is_informative=False),
        # Usable, since results show whether it matters.
        replace(BASE, problems=("overwrite",)),
        # It writes nothing: there are no results.
        with_accesses(BASE, read, read, UNUSED),
        ended,
        broken,
        replace(broken, problems=("race", "trap")),
        # It ended before it touched anything.
        with_accesses(broken, UNUSED, UNUSED, UNUSED),
    ]
    assert written.written_range == (0, 64)
    for better, worse in pairwise(ordered):
        assert measure_badness(better) < measure_badness(worse)


def test_a_broken_run_that_only_read_is_not_idle() -> None:
    read = BASE.execution.accesses[0]
    broken = replace(BASE, problems=("trap",))
    reading = with_accesses(broken, read)
    assert measure_badness(reading) == measure_badness(broken)


def test_of_alike_results_the_one_with_settled_memory_is_better() -> None:
    broken = replace(BASE, problems=("extent",))
    unsettled = replace(broken, is_converged=False)
    assert measure_badness(broken) < measure_badness(unsettled)
