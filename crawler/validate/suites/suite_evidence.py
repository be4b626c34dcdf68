"""Verdicts of kernels by what their project's own tests showed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from crawler.model import (
    Behaviour,
    Instantiation,
    Kernel,
    KernelUnit,
    Oracle,
    Status,
    Verdict,
)
from crawler.validate.cpu.result import (
    CpuValidation,
    build_failed_validation,
    build_run,
    choose_fault_behaviour,
)
from crawler.validate.suites.instance_tests import InstanceTests
from crawler.validate.suites.suite_report import SuiteReport
from crawler.validate.suites.template_arguments import (
    are_same_arguments,
    parse_template_arguments,
)
from crawler.validate.values.blobs import Blobs


def find_suite_evidence(
    kernel: Kernel, report: SuiteReport
) -> tuple[InstanceTests, ...]:
    """Return what a project's tests showed of `kernel`, for each instantiation on its own."""
    span = kernel.span
    return tuple(
        each
        for each in report.kernels
        if each.place.path == span.path
        and span.line <= each.place.line <= span.end_line
    )


def judge_by_suite(
    unit: KernelUnit, evidence: Sequence[InstanceTests]
) -> CpuValidation | None:
    """Return the validation of a kernel that goes wrong in its project's own tests, `None` where
    it does not.
    """
    for each in evidence:
        if each.fault is None:
            continue

        message = f"in a test of the project's own: {each.fault.message}"
        behaviour = choose_fault_behaviour(each.fault.code)
        failed = build_failed_validation(unit, behaviour, each.fault.code, message)
        label = next(
            (one.label for one in unit.instantiations if _is_of(one, each)), ""
        )
        return replace(failed, run=replace(failed.run, instantiation=label))

    return None


def add_suite_evidence(
    validations: Sequence[CpuValidation],
    unit: KernelUnit,
    evidence: Sequence[InstanceTests],
) -> list[CpuValidation]:
    """Return the validations of a kernel's instantiations, each with what the project's tests
    showed of it, and those that only the tests have run.

    An instantiation that agrees with itself passes where a test that launches it looks at its
    results, and every test that launches it passes. The first validation speaks for the kernel:
    where it does not pass, nor fail, and another passes, that one does.
    """
    proven = [_prove(validation, unit, evidence) for validation in validations]
    known_labels = {each.run.instantiation for each in proven}
    proven += _list_tested_alone(unit, evidence, known_labels)
    return _choose_speaker(proven)


def _prove(
    validation: CpuValidation, unit: KernelUnit, evidence: Sequence[InstanceTests]
) -> CpuValidation:
    tests = next(
        (each for each in evidence if _is_label_of(validation, unit, each)), None
    )
    if tests is None:
        return validation

    run = validation.run
    verdict = run.pass_exe
    message = "; ".join(filter(None, [verdict.message, describe_tests(tests)]))
    if not _is_proven(tests) or verdict.status not in (
        Status.CONSISTENT,
        Status.UNSUPPORTED,
    ):
        run = replace(run, pass_exe=replace(verdict, message=message))
        return replace(validation, run=run)

    passed = Verdict(status=Status.PASS, message=message)
    run = replace(run, pass_exe=passed, oracle=Oracle.PROJECT_TESTS)
    return replace(validation, run=run)


def _list_tested_alone(
    unit: KernelUnit, evidence: Sequence[InstanceTests], known_labels: set[str]
) -> Iterator[CpuValidation]:
    """Yield validations of instantiations that nothing but the project's tests has run."""
    for instantiation in unit.instantiations:
        if instantiation.label in known_labels:
            continue

        for tests in evidence:
            if not _is_of(instantiation, tests) or not _is_proven(tests):
                continue

            verdict = Verdict(status=Status.PASS, message=describe_tests(tests))
            run = build_run(unit, Behaviour.DETERMINISTIC, verdict)
            run = replace(
                run,
                instantiation=instantiation.label,
                oracle=Oracle.PROJECT_TESTS,
                is_further=True,
            )
            yield CpuValidation(run=run, blobs=Blobs())
            break


def _choose_speaker(validations: list[CpuValidation]) -> list[CpuValidation]:
    first, *others = validations
    if first.run.pass_exe.status in (Status.PASS, Status.FAIL):
        return validations

    for position, other in enumerate(others):
        if other.run.pass_exe.status is Status.PASS:
            speaker = replace(other, run=replace(other.run, is_further=False))
            silent = replace(first, run=replace(first.run, is_further=True))
            return [speaker, silent, *others[:position], *others[position + 1 :]]

    return validations


def describe_tests(tests: InstanceTests) -> str:
    """Return what a project's tests say of an instantiation, in a sentence."""
    text = f"{tests.passing} of the project's own tests launch it and pass"
    if tests.failing:
        failure = tests.failing[0]
        text += f", {len(tests.failing)} do not, such as {failure.name}"
    if tests.checking_test:
        text += (
            f"; {tests.checking_test} fails where it does nothing"
            " and where some of its results are changed"
        )

    return text


def _is_proven(tests: InstanceTests) -> bool:
    return bool(tests.checking_test) and not tests.failing and tests.fault is None


def _is_label_of(
    validation: CpuValidation, unit: KernelUnit, tests: InstanceTests
) -> bool:
    label = validation.run.instantiation
    if not unit.instantiations or not tests.arguments:
        return not label and not tests.arguments

    return any(one.label == label and _is_of(one, tests) for one in unit.instantiations)


def _is_of(instantiation: Instantiation, tests: InstanceTests) -> bool:
    arguments = parse_template_arguments(tests.arguments)
    return are_same_arguments(instantiation.arguments, arguments)
