"""Verdicts by what programs showed."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import Behaviour, Instantiation, Oracle, Span, Status
from crawler.validate.cpu.result import build_failed_validation
from crawler.validate.programs.author_launches import ProgramReport
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.programs.program_evidence import (
    ProgramEvidence,
    add_program_evidence,
    find_evidence,
    judge_by_programs,
)
from crawler.validate.programs.runs.kernel_launches import KernelLaunches
from crawler.validate.programs.runs.launch_faults import LaunchFault
from tests.plain import plain_kernel, plain_unit

UNIT = plain_unit("")
LAUNCHES = KernelLaunches(
    place=KernelPlace(path="a.cu", line=4),
    launches=3,
    configurations=(((1, 1, 1), (64, 1, 1)),),
    is_consistent=True,
)
FAULT = LaunchFault(code="race", message="race in launch 1")


def make_evidence(launches: KernelLaunches) -> tuple[ProgramEvidence, ...]:
    return (ProgramEvidence(file="main.cu", launches=launches),)


def test_evidence_is_of_the_kernel_whose_definition_was_entered() -> None:
    span = Span(path="a.cu", line=3, end_line=9, offset=0, end_offset=90)
    report = ProgramReport(kernels=(LAUNCHES,))
    kernel = plain_kernel(UNIT, span=span)
    other = plain_kernel(UNIT, span=replace(span, line=5))

    assert len(find_evidence(kernel, [("main.cu", report)])) == 1
    assert find_evidence(other, [("main.cu", report)]) == ()


def test_a_fault_in_its_own_program_is_the_kernels_verdict() -> None:
    validation = judge_by_programs(UNIT, make_evidence(replace(LAUNCHES, fault=FAULT)))

    assert validation is not None
    assert validation.run.behaviour is Behaviour.RACY
    assert validation.run.pass_exe.status is Status.FAIL
    assert validation.run.pass_exe.code == "race"
    assert validation.run.pass_exe.message == (
        "in the project's own program main.cu: race in launch 1"
    )


def test_a_kernel_that_its_program_refuses_fails_though_it_does_the_same_in_every_order() -> (
    None
):
    refusal = LaunchFault(code="own-check", message="the program refuses its results")
    validation = judge_by_programs(
        UNIT, make_evidence(replace(LAUNCHES, fault=refusal))
    )

    assert validation is not None
    assert validation.run.behaviour is Behaviour.DETERMINISTIC
    assert validation.run.pass_exe.status is Status.FAIL
    assert validation.run.pass_exe.code == "own-check"


def test_a_fault_in_a_call_of_its_own_launcher_is_the_kernels_verdict() -> None:
    evidence = replace(
        make_evidence(replace(LAUNCHES, fault=FAULT))[0], launcher="blur", file="a.cu"
    )
    validation = judge_by_programs(UNIT, (evidence,))

    assert validation is not None
    assert validation.run.pass_exe.message == (
        "in the project's own launcher in a.cu: race in launch 1"
    )


def test_calls_of_its_own_launcher_make_it_consistent() -> None:
    unsupported = build_failed_validation(UNIT, Behaviour.UNSUPPORTED, "extent")
    evidence = replace(make_evidence(LAUNCHES)[0], launcher="blur")

    run = add_program_evidence(unsupported, UNIT, (evidence,)).run

    assert (run.pass_exe.status, run.pass_exe.code) == (
        Status.CONSISTENT,
        "own-launcher",
    )
    assert "blur in main.cu, called with" in run.pass_exe.message


def test_clean_launches_are_no_verdict() -> None:
    assert judge_by_programs(UNIT, make_evidence(LAUNCHES)) is None


def test_a_kernel_without_inputs_of_ours_is_consistent_in_its_own_program() -> None:
    unsupported = build_failed_validation(UNIT, Behaviour.UNSUPPORTED, "extent")

    run = add_program_evidence(unsupported, UNIT, make_evidence(LAUNCHES)).run

    assert (run.pass_exe.status, run.pass_exe.code) == (
        Status.CONSISTENT,
        "own-program",
    )
    assert "no cases: extent" in run.pass_exe.message
    assert run.suite == ""


def test_launches_that_differ_leave_it_unsupported() -> None:
    unsupported = build_failed_validation(UNIT, Behaviour.UNSUPPORTED, "extent")
    evidence = make_evidence(replace(LAUNCHES, is_consistent=False))

    run = add_program_evidence(unsupported, UNIT, evidence).run

    assert run.pass_exe.status is Status.UNSUPPORTED
    assert "main.cu launches it 3 times without a fault" in run.pass_exe.message


def test_a_fault_that_we_found_stays() -> None:
    failed = build_failed_validation(UNIT, Behaviour.RACY, "race")

    run = add_program_evidence(failed, UNIT, make_evidence(LAUNCHES)).run

    assert (run.pass_exe.status, run.pass_exe.code) == (Status.FAIL, "race")


def test_a_program_that_checks_its_results_proves_them() -> None:
    unsupported = build_failed_validation(UNIT, Behaviour.UNSUPPORTED, "extent")
    evidence = make_evidence(replace(LAUNCHES, is_checked=True))

    run = add_program_evidence(unsupported, UNIT, evidence).run

    assert run.pass_exe.status is Status.PASS
    assert run.oracle is Oracle.PROJECT_PROGRAM


def test_nothing_is_claimed_for_instantiations_that_a_program_may_not_have_run() -> (
    None
):
    template = plain_unit(
        "",
        *(Instantiation(arguments=(kind,), label=kind) for kind in ("float", "int")),
    )
    unsupported = build_failed_validation(template, Behaviour.UNSUPPORTED, "extent")
    evidence = make_evidence(replace(LAUNCHES, is_checked=True))

    run = add_program_evidence(unsupported, template, evidence).run

    assert run.pass_exe.status is Status.UNSUPPORTED


def test_a_check_does_not_mend_a_fault() -> None:
    failed = build_failed_validation(UNIT, Behaviour.RACY, "race")
    evidence = make_evidence(replace(LAUNCHES, is_checked=True))

    run = add_program_evidence(failed, UNIT, evidence).run

    assert run.pass_exe.status is Status.FAIL


def test_results_that_a_check_accepts_in_each_order_may_depend_on_it() -> None:
    failed = build_failed_validation(UNIT, Behaviour.RACY, "order-dependent")
    checked = replace(LAUNCHES, is_checked=True, is_consistent=False)

    once = add_program_evidence(failed, UNIT, make_evidence(checked)).run
    varying = make_evidence(replace(checked, may_vary=True))
    run = add_program_evidence(failed, UNIT, varying).run

    assert once.pass_exe.status is Status.FAIL
    assert run.pass_exe.status is Status.PASS
    assert run.behaviour is Behaviour.ATOMIC_NONDETERMINISTIC
    assert "in each order of its threads" in run.pass_exe.message
