"""Verdicts of kernels by what their project's own tests showed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from crawler.model import (
    Behaviour,
    Instantiation,
    Kernel,
    KernelUnit,
    Oracle,
    Run,
    Status,
    Verdict,
)
from crawler.validate.cpu.result import (
    CpuValidation,
    build_failed_validation,
    build_run,
    choose_fault_behaviour,
)
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.suites.instance_tests import InstanceTests
from crawler.validate.suites.suite_report import SuiteReport
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.template_arguments import (
    are_same_arguments,
    parse_template_arguments,
)


def find_suite_evidence(
    kernel: Kernel, report: SuiteReport
) -> tuple[InstanceTests, ...]:
    """Return what a project's tests showed of `kernel`, for each instantiation on its own."""
    span = kernel.span
    return tuple(
        kernel
        for kernel in report.kernels
        if kernel.place.path == span.path
        and span.line <= kernel.place.line <= span.end_line
    )


def list_suite_recordings(
    evidence: Iterable[InstanceTests],
) -> tuple[RecordedLaunch, ...]:
    """Return the launches of a kernel that its project's tests recorded."""
    return tuple(launch for kernel in evidence for launch in kernel.recordings)


def judge_by_suite(
    unit: KernelUnit, evidence: Sequence[InstanceTests]
) -> CpuValidation | None:
    """Return the validation of a kernel that goes wrong in its project's own tests, `None` where
    it does not.
    """
    for kernel in evidence:
        if kernel.fault is None:
            continue

        message = f"in a test of the project's own: {kernel.fault.message}"
        behaviour = choose_fault_behaviour(kernel.fault.code)
        failed = build_failed_validation(unit, behaviour, kernel.fault.code, message)
        tested = _find_instantiation(unit, kernel)
        label = tested.label if tested else ""
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
    tests_by_label = _map_labels(unit, evidence)
    proven = [
        _prove(validation, unit, tests_by_label.get(validation.run.instantiation))
        for validation in validations
    ]
    known_labels = {validation.run.instantiation for validation in proven}
    proven += _list_tested_alone(unit, tests_by_label, known_labels)
    return _choose_speaker(proven)


def _prove(
    validation: CpuValidation, unit: KernelUnit, tests: InstanceTests | None
) -> CpuValidation:
    """Return a validation with what `tests` showed of its instantiation."""
    if tests is None:
        return validation

    run = validation.run
    verdict = run.pass_exe
    message = "; ".join(filter(None, [verdict.message, describe_tests(tests)]))
    is_open = verdict.status in (Status.CONSISTENT, Status.UNSUPPORTED)
    # its author's tests say more of what it is meant to do than its name
    is_named_alone = verdict.status is Status.PASS and run.oracle is Oracle.LIBRARY
    if not (is_open or is_named_alone) or not _is_proven(tests):
        run = replace(run, pass_exe=replace(verdict, message=message))
        return replace(validation, run=run)

    if verdict.status is Status.UNSUPPORTED:
        # no inputs of ours do, so that nothing is known of it but by its tests
        proven = _build_proven_run(unit, run.instantiation, message)
        return CpuValidation(
            run=replace(proven, is_further=run.is_further),
            blobs=Blobs(),
            tried=validation.tried,
        )

    passed = Verdict(status=Status.PASS, message=message)
    run = replace(run, pass_exe=passed, oracle=Oracle.PROJECT_TESTS)
    return replace(validation, run=run)


def _list_tested_alone(
    unit: KernelUnit,
    tests_by_label: Mapping[str, InstanceTests],
    known_labels: set[str],
) -> Iterator[CpuValidation]:
    """Yield validations of instantiations that nothing but the project's tests has run."""
    for label, tests in tests_by_label.items():
        if label not in known_labels and _is_proven(tests):
            run = _build_proven_run(unit, label, describe_tests(tests))
            yield CpuValidation(run=replace(run, is_further=True), blobs=Blobs())


def _build_proven_run(unit: KernelUnit, label: str, message: str) -> Run:
    verdict = Verdict(status=Status.PASS, message=message)
    run = build_run(unit, Behaviour.DETERMINISTIC, verdict)
    return replace(run, instantiation=label, oracle=Oracle.PROJECT_TESTS)


def _choose_speaker(validations: list[CpuValidation]) -> list[CpuValidation]:
    first, *other_validations = validations
    if first.run.pass_exe.status in (Status.PASS, Status.FAIL):
        return validations

    for position, other in enumerate(other_validations):
        if other.run.pass_exe.status is Status.PASS:
            speaker = replace(other, run=replace(other.run, is_further=False))
            silent = replace(first, run=replace(first.run, is_further=True))
            return [
                speaker,
                silent,
                *other_validations[:position],
                *other_validations[position + 1 :],
            ]

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


def _map_labels(
    unit: KernelUnit, evidence: Sequence[InstanceTests]
) -> dict[str, InstanceTests]:
    """Return what tests showed of each instantiation, by its label; empty for a plain kernel's."""
    tests_by_label: dict[str, InstanceTests] = {}
    for kernel in evidence:
        instantiation = _find_instantiation(unit, kernel)
        if instantiation is not None:
            tests_by_label.setdefault(instantiation.label, kernel)
        elif not unit.instantiations and not kernel.arguments:
            tests_by_label.setdefault("", kernel)

    return tests_by_label


def _find_instantiation(unit: KernelUnit, tests: InstanceTests) -> Instantiation | None:
    """Return the instantiation that was tested; `None` where it may be any of several."""
    arguments = parse_template_arguments(tests.arguments)
    matches = [
        instantiation
        for instantiation in unit.instantiations
        if are_same_arguments(instantiation.arguments, arguments)
    ]
    return matches[0] if len(matches) == 1 else None
