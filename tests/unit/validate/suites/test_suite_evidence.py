"""Verdicts by what a project's own tests showed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import (
    Behaviour,
    Dialect,
    Instantiation,
    KernelUnit,
    Oracle,
    Status,
    Verdict,
)
from crawler.validate.cpu.result import CpuValidation, build_run
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.programs.runs.launch_faults import LaunchFault
from crawler.validate.suites.instance_tests import FailedTest, InstanceTests
from crawler.validate.suites.suite_evidence import add_suite_evidence, judge_by_suite
from crawler.validate.values.blobs import Blobs

UNIT = KernelUnit(
    source="",
    dialect=Dialect.CUDA,
    kernel_name="k",
    prelude="",
    digest="0" * 64,
    token_digest="",
    instantiations=tuple(
        Instantiation(arguments=(name,), label=name)
        for name in ("float", "double", "int")
    ),
)
PASSING = InstanceTests(
    place=KernelPlace(path="k.cu", line=3),
    arguments="[T = float]",
    launches=4,
    passing=2,
    checking_test="test_k.py::test_it",
)
FAULT = LaunchFault(code="race", message="race in launch 1")


def validate(label: str, status: Status = Status.CONSISTENT) -> CpuValidation:
    """Return the validation of an instantiation that came to a status."""
    run = build_run(UNIT, Behaviour.DETERMINISTIC, Verdict(status=status))
    return CpuValidation(run=replace(run, instantiation=label), blobs=Blobs())


def summarise(validations: list[CpuValidation]) -> list[tuple[str, str, bool]]:
    return [
        (
            validation.run.instantiation,
            validation.run.pass_exe.status.value,
            validation.run.is_further,
        )
        for validation in validations
    ]


def test_an_instantiation_that_a_test_checks_passes() -> None:
    (proven,) = add_suite_evidence([validate("float")], UNIT, [PASSING])

    assert proven.run.pass_exe.status is Status.PASS
    assert proven.run.oracle is Oracle.PROJECT_TESTS
    assert (
        "test_k.py::test_it fails where it does nothing" in proven.run.pass_exe.message
    )


@pytest.mark.parametrize(
    ("oracle", "speaker"),
    [
        (Oracle.LIBRARY, Oracle.PROJECT_TESTS),
        (Oracle.PROJECT_CPU, Oracle.PROJECT_CPU),
    ],
)
def test_a_test_says_more_than_the_name_of_a_kernel(
    oracle: Oracle, speaker: Oracle
) -> None:
    named = validate("float", Status.PASS)
    named = replace(named, run=replace(named.run, oracle=oracle))
    (proven,) = add_suite_evidence([named], UNIT, [PASSING])

    assert (proven.run.pass_exe.status, proven.run.oracle) == (Status.PASS, speaker)
    assert "test_k.py::test_it" in proven.run.pass_exe.message


def test_another_instantiation_is_not_proven_by_it() -> None:
    evidence = [replace(PASSING, checking_test="")]
    (validation,) = add_suite_evidence([validate("double")], UNIT, evidence)

    assert validation.run.pass_exe.status is Status.CONSISTENT


def test_the_instantiation_that_passes_speaks_for_the_kernel() -> None:
    validations = add_suite_evidence([validate("double")], UNIT, [PASSING])

    assert summarise(validations) == [
        ("float", "pass", False),
        ("double", "consistent", True),
    ]


def test_none_passes_for_one_that_fails() -> None:
    failing = validate("double", Status.FAIL)
    validations = add_suite_evidence([failing], UNIT, [PASSING])

    assert summarise(validations)[0] == ("double", "fail", False)


def test_a_test_that_fails_proves_nothing() -> None:
    failure = FailedTest(name="test_k.py::test_other", message="assert 1 == 2")
    evidence = [replace(PASSING, failing=(failure,))]
    (validation,) = add_suite_evidence([validate("float")], UNIT, evidence)

    assert validation.run.pass_exe.status is Status.CONSISTENT
    assert "test_k.py::test_other" in validation.run.pass_exe.message


def test_a_fault_in_a_test_fails_its_instantiation() -> None:
    faulty = replace(PASSING, arguments="[T = double]", fault=FAULT)
    failed = judge_by_suite(UNIT, [PASSING, faulty])

    assert failed is not None
    assert failed.run.pass_exe.status is Status.FAIL
    assert (failed.run.pass_exe.code, failed.run.instantiation) == ("race", "double")
    assert judge_by_suite(UNIT, [PASSING]) is None


def test_a_kernel_without_inputs_of_ours_passes_by_its_tests_alone() -> None:
    run = build_run(UNIT, Behaviour.UNSUPPORTED, Verdict(status=Status.UNSUPPORTED))
    unsupported = CpuValidation(run=replace(run, instantiation="float"), blobs=Blobs())
    (proven,) = add_suite_evidence([unsupported], UNIT, [PASSING])

    assert proven.run.pass_exe.status is Status.PASS
    assert proven.run.behaviour is Behaviour.DETERMINISTIC
    assert proven.suite is None


def test_what_may_be_one_of_two_instantiations_proves_neither() -> None:
    unit = replace(
        UNIT,
        instantiations=(
            Instantiation(arguments=("a::Sum",), label="a"),
            Instantiation(arguments=("b::Sum",), label="b"),
        ),
    )
    evidence = [replace(PASSING, arguments="[T = a::Sum]")]
    (validation,) = add_suite_evidence([validate("a")], unit, evidence)

    assert validation.run.pass_exe.status is Status.CONSISTENT
