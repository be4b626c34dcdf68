"""Cases that tell something make a suite, and a verdict."""

from __future__ import annotations

import pytest

from crawler import codec
from crawler.model import Behaviour, Case, CaseKind, Status, Suite
from crawler.validate.behaviour.case_judgement import CaseJudgement
from crawler.validate.cpu.suite import (
    WANTED_CASES,
    conclude_validation,
    count_shown_cases,
)
from crawler.validate.inputs.cases.case_drafts import BRANCH_CASE_PREFIX
from crawler.validate.values.blobs import Blobs
from tests.plain import plain_unit

UNIT = plain_unit("__global__ void k() {}")


def judgement(
    name: str = "ordinary",
    behaviour: Behaviour = Behaviour.DETERMINISTIC,
    *,
    is_hidden: bool = False,
    is_trivial: bool = False,
    depends_on_warp_size: bool = False,
) -> CaseJudgement:
    case = Case(
        name=name,
        kind=CaseKind.ORDINARY,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        hidden=is_hidden,
    )
    return CaseJudgement(
        case=case,
        behaviour=behaviour,
        code="why",
        is_trivial=is_trivial,
        depends_on_warp_size=depends_on_warp_size,
    )


def test_enough_cases_are_consistent_with_each_other() -> None:
    blobs = Blobs()
    judgements = [judgement(f"case-{number}") for number in range(WANTED_CASES)]
    validation = conclude_validation(UNIT, 5, judgements, blobs)
    run = validation.run
    assert (run.pass_exe.status, run.pass_exe.code) == (
        Status.CONSISTENT,
        "self-consistent",
    )
    assert (run.cases, run.behaviour) == (WANTED_CASES, Behaviour.DETERMINISTIC)
    stored = codec.decode(blobs.get(run.suite), Suite)
    assert stored == validation.suite
    assert (stored.seed, len(stored.cases)) == (5, WANTED_CASES)


def test_hidden_cases_are_in_the_suite_and_not_among_the_shown() -> None:
    judgements = [judgement(f"case-{number}") for number in range(WANTED_CASES - 1)]
    judgements.append(judgement("hidden", is_hidden=True))
    validation = conclude_validation(UNIT, 0, judgements, Blobs())
    assert validation.suite is not None
    assert len(validation.suite.cases) == WANTED_CASES
    assert validation.run.pass_exe.code == "few-cases"
    assert count_shown_cases(judgements) == WANTED_CASES - 1


def test_one_case_that_noise_changes_makes_the_kernel_noisy() -> None:
    noisy = judgement("noisy", Behaviour.ATOMIC_NONDETERMINISTIC)
    validation = conclude_validation(UNIT, 0, [judgement(), noisy], Blobs())
    assert validation.run.behaviour is Behaviour.ATOMIC_NONDETERMINISTIC


def test_other_warps_give_other_results() -> None:
    judgements = [judgement(f"case-{number}") for number in range(WANTED_CASES)]
    judgements[2] = judgement("wide", depends_on_warp_size=True)
    validation = conclude_validation(UNIT, 0, judgements, Blobs())
    assert validation.run.pass_exe.code == "lanes"


def test_what_says_nothing_is_left_out_unless_it_reaches_a_branch() -> None:
    judgements = [
        judgement(),
        judgement("constant", is_trivial=True),
        judgement(f"{BRANCH_CASE_PREFIX}1", is_trivial=True),
        judgement("racy", Behaviour.RACY),
    ]
    validation = conclude_validation(UNIT, 0, judgements, Blobs())
    assert validation.suite is not None
    names = [case.name for case in validation.suite.cases]
    assert names == ["ordinary", f"{BRANCH_CASE_PREFIX}1"]


@pytest.mark.parametrize(
    ("first", "behaviour", "code"),
    [
        (judgement(behaviour=Behaviour.RACY), Behaviour.RACY, "why"),
        (judgement(is_trivial=True), Behaviour.TRIVIAL, "trivial-output"),
    ],
)
def test_without_an_ordinary_case_there_is_no_suite(
    first: CaseJudgement, behaviour: Behaviour, code: str
) -> None:
    validation = conclude_validation(UNIT, 0, [first], Blobs())
    assert validation.suite is None
    assert (validation.run.behaviour, validation.run.pass_exe.code) == (behaviour, code)
