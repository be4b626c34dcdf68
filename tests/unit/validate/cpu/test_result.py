"""A verdict without cases says what stood in their way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import Behaviour, Status, Verdict
from crawler.validate.cpu.result import (
    build_failed_validation,
    build_uncompiled_validation,
    build_unusable_validation,
)
from crawler.validate.emulator.execution_report import Execution, Finding, Outcome
from crawler.validate.emulator.program import BuildOptions, Program
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.inputs.trials.trial_memory import TrialMemory
from tests.plain import plain_unit

UNIT = plain_unit("__global__ void k() {}")
CONFIGURATION = LaunchConfiguration(
    grid=(1, 1, 1), block=(1, 1, 1), shared_bytes=0, scalars={}, free_variables={}
)


def trial_result(
    *problems: str, outcome: Outcome = Outcome.DONE, is_converged: bool = True
) -> TrialResult:
    findings = tuple(
        Finding(kind=kind, count=3, block=(1, 0, 0), thread=(2, 0, 0), line=7)
        for kind in problems
    )
    memory = TrialMemory(sizes=(), leading_bytes=(), patterns=(), elements=())
    return TrialResult(
        trial=Trial(configuration=CONFIGURATION, memory=memory, seed=0),
        execution=Execution(outcome=outcome, findings=findings),
        problems=problems,
        is_converged=is_converged,
    )


@pytest.mark.parametrize(
    ("problems", "code", "behaviour"),
    [
        (("uninitialised-read", "race"), "race", Behaviour.RACY),
        (("assertion", "divide-by-zero"), "divide-by-zero", Behaviour.UNDEFINED),
        (
            ("inactive-lane", "excluded-caller"),
            "excluded-caller",
            Behaviour.UNDEFINED,
        ),
        (("extent",), "extent", Behaviour.UNSUPPORTED),
        # wherever an index leads that the search has filled in, it is no fault of the kernel
        (("out-of-bounds",), "extent", Behaviour.UNSUPPORTED),
    ],
)
def test_the_gravest_problem_is_the_verdict(
    problems: tuple[str, ...], code: str, behaviour: Behaviour
) -> None:
    run = build_unusable_validation(UNIT, trial_result(*problems)).run
    assert (run.pass_exe.code, run.behaviour) == (code, behaviour)


def test_a_verdict_says_where_it_happened() -> None:
    run = build_unusable_validation(UNIT, trial_result("race")).run
    assert run.pass_exe.status is Status.FAIL
    assert run.pass_exe.message.endswith(
        "block (1, 0, 0), thread (2, 0, 0) at line 7 of the unit, 3 times"
    )


@pytest.mark.parametrize(
    ("outcome", "is_converged", "code", "status"),
    [
        (Outcome.TIMEOUT, True, "timeout", Status.FAIL),
        (Outcome.DONE, False, "not-converged", Status.UNSUPPORTED),
        (Outcome.KILLED, True, "killed", Status.UNSUPPORTED),
        (Outcome.FAULT, True, "fault", Status.FAIL),
    ],
)
def test_without_a_problem_the_end_of_the_run_is_the_verdict(
    outcome: Outcome, is_converged: bool, code: str, status: Status
) -> None:
    result = trial_result(outcome=outcome, is_converged=is_converged)
    verdict = build_unusable_validation(UNIT, result).run.pass_exe
    assert (verdict.code, verdict.status) == (code, status)


@pytest.mark.parametrize(
    ("code", "missing_headers", "expected"),
    [
        ("compile-error", (), "host-compile-error"),
        ("compile-error", ("cub/cub.cuh",), "missing-header"),
        ("compile-timeout", ("cub/cub.cuh",), "host-compile-timeout"),
        ("no-compiler", (), "no-compiler"),
    ],
)
def test_a_host_compiler_complains_in_words_of_its_own(
    code: str, missing_headers: tuple[str, ...], expected: str
) -> None:
    status = Status.SKIPPED if code == "no-compiler" else Status.FAIL
    program = Program(
        unit_digest="",
        options=BuildOptions(),
        verdict=Verdict(status=status, code=code, message="m"),
    )
    unit = replace(UNIT, missing_headers=missing_headers)
    verdict = build_uncompiled_validation(unit, program).run.pass_exe
    assert (verdict.code, verdict.message) == (expected, "m")
    # nobody can blame a kernel for a machine without a compiler
    is_skipped = verdict.status is Status.SKIPPED
    assert is_skipped == (code == "no-compiler")


def test_a_code_explains_itself_where_no_message_does() -> None:
    validation = build_failed_validation(UNIT, Behaviour.TRIVIAL, "trivial-output")
    assert validation.suite is None
    assert "empty, constant, or the same" in validation.run.pass_exe.message
