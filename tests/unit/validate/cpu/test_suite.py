"""Cases that tell something make a suite, and a verdict."""

from __future__ import annotations

import pytest

from crawler import codec
from crawler.model import Behaviour, Case, CaseKind, Status, Suite
from crawler.validate.behaviour.golden_case import GoldenCase
from crawler.validate.cpu.suite import (
    WANTED_CASES,
    conclude_validation,
    count_shown_cases,
)
from crawler.validate.inputs.cases.case_drafts import BRANCH_CASE_PREFIX
from crawler.validate.values.blobs import Blobs
from tests.plain import plain_unit

UNIT = plain_unit("__global__ void k() {}")


def golden_case(
    name: str = "ordinary",
    behaviour: Behaviour = Behaviour.DETERMINISTIC,
    *,
    is_hidden: bool = False,
    is_trivial: bool = False,
    depends_on_warp_size: bool = False,
) -> GoldenCase:
    case = Case(
        name=name,
        kind=CaseKind.ORDINARY,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        hidden=is_hidden,
    )
    return GoldenCase(
        case=case,
        behaviour=behaviour,
        code="why",
        is_trivial=is_trivial,
        depends_on_warp_size=depends_on_warp_size,
    )


def test_enough_cases_are_consistent_with_each_other() -> None:
    blobs = Blobs()
    golden_cases = [golden_case(f"case-{number}") for number in range(WANTED_CASES)]
    validation = conclude_validation(UNIT, 5, golden_cases, blobs)
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
    golden_cases = [golden_case(f"case-{number}") for number in range(WANTED_CASES - 1)]
    golden_cases.append(golden_case("hidden", is_hidden=True))
    validation = conclude_validation(UNIT, 0, golden_cases, Blobs())
    assert validation.suite is not None
    assert len(validation.suite.cases) == WANTED_CASES
    assert validation.run.pass_exe.code == "few-cases"
    assert count_shown_cases(golden_cases) == WANTED_CASES - 1


def test_one_case_that_noise_changes_makes_the_kernel_noisy() -> None:
    noisy = golden_case("noisy", Behaviour.ATOMIC_NONDETERMINISTIC)
    validation = conclude_validation(UNIT, 0, [golden_case(), noisy], Blobs())
    assert validation.run.behaviour is Behaviour.ATOMIC_NONDETERMINISTIC


def test_other_warps_give_other_results() -> None:
    golden_cases = [golden_case(f"case-{number}") for number in range(WANTED_CASES)]
    golden_cases[2] = golden_case("wide", depends_on_warp_size=True)
    validation = conclude_validation(UNIT, 0, golden_cases, Blobs())
    assert validation.run.pass_exe.code == "lanes"


def test_what_says_nothing_is_left_out_unless_it_reaches_a_branch() -> None:
    golden_cases = [
        golden_case(),
        golden_case("constant", is_trivial=True),
        golden_case(f"{BRANCH_CASE_PREFIX}1", is_trivial=True),
        golden_case("racy", Behaviour.RACY),
    ]
    validation = conclude_validation(UNIT, 0, golden_cases, Blobs())
    assert validation.suite is not None
    names = [case.name for case in validation.suite.cases]
    assert names == ["ordinary", f"{BRANCH_CASE_PREFIX}1"]


@pytest.mark.parametrize(
    ("first", "behaviour", "code"),
    [
        (golden_case(behaviour=Behaviour.RACY), Behaviour.RACY, "why"),
        (golden_case(is_trivial=True), Behaviour.TRIVIAL, "trivial-output"),
    ],
)
def test_without_an_ordinary_case_there_is_no_suite(
    first: GoldenCase, behaviour: Behaviour, code: str
) -> None:
    validation = conclude_validation(UNIT, 0, [first], Blobs())
    assert validation.suite is None
    assert (validation.run.behaviour, validation.run.pass_exe.code) == (behaviour, code)
