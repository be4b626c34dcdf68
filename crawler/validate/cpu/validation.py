"""Validate a kernel on the CPU: find inputs, run every variant, and give a verdict."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Behaviour, Kernel, KernelUnit, Parameter
from crawler.validate.cpu.case_runs import judge_cases
from crawler.validate.cpu.instantiation_choice import (
    choose_instantiations,
    choose_other_types,
)
from crawler.validate.cpu.launcher_check import find_launcher_violation
from crawler.validate.cpu.local_variables import reads_uninitialised_locals
from crawler.validate.cpu.preconditions import (
    NEEDS_ALIGNED_SIZES,
    describe_precondition,
    find_precondition,
)
from crawler.validate.cpu.result import (
    CpuValidation,
    build_failed_validation,
    build_uncompiled_validation,
    build_unusable_validation,
    choose_fault_behaviour,
    describe_finding,
)
from crawler.validate.cpu.subject_search import (
    OrdinaryCase,
    find_ordinary_case,
    has_untraced_fault,
)
from crawler.validate.cpu.suite import conclude_validation
from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded, limit_endless_runs
from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.source.constant_queries import collect_constant_queries
from crawler.validate.emulator.source.constructor_factories import (
    add_constructor_factories,
)
from crawler.validate.inputs.sizes.stride_choices import ALIGNMENT_ELEMENTS
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.parameter_types import (
    Signature,
    list_argument_positions,
)

MAX_ENDLESS_SECONDS: Final = 60.0
"""Seconds of the processor that runs of a kernel may take which come to no end."""
_INSTANTIATION_PROBLEMS: Final = (
    "assertion",
    "trap",
    "unsupported",
    "trivial-output",
    "host-compile-error",
    "array-bounds",
)
"""Why one instantiation may not run though another does: it may be meant for a newer device, or
for none.
"""
_CONSTRUCTION_PROBLEMS: Final = (
    "no-signature",
    "host-compile-error",
    "host-compile-timeout",
    "missing-header",
)
"""Why no structure was made by its constructor."""
_REFUSALS: Final = ("assertion", "trap")
"""Why one may not run though another of other types does: it says itself that it is not meant."""


def validate_on_cpu(
    kernel: Kernel, unit: KernelUnit | None = None, *, seed: int = 0
) -> CpuValidation:
    """Find inputs for `unit`, or the kernel's own, run it in every way that may tell something,
    and judge it.

    What goes wrong is in the verdict; raises `MissingTool` where the sandbox does not work.
    """
    start = time.monotonic()
    unit = unit or kernel.unit
    if unit is None:
        raise ValueError(
            "a kernel without a unit cannot be run: see its `unit_problem`"
        )

    # such a library is of a device's compilers; beside our shims of it nothing would compile
    if unit.installed_libraries:
        return build_failed_validation(unit, Behaviour.UNSUPPORTED, "installed-library")

    # each endless run costs its whole time, and there may be hundreds of trials
    with limit_endless_runs(MAX_ENDLESS_SECONDS):
        validation = _validate_instantiations(kernel, unit, seed)

    seconds = round(time.monotonic() - start, 3)

    return replace(validation, run=replace(validation.run, seconds=seconds))


def _validate_instantiations(
    kernel: Kernel, unit: KernelUnit, seed: int
) -> CpuValidation:
    """Return what comes of the first instantiation that runs, or of the one that stands for all."""
    validations: list[CpuValidation] = []
    # a list that grows while it is walked
    entries = list(choose_instantiations(unit.instantiations))

    for entry in entries:
        is_spent = False
        try:
            validation = _validate_entry(kernel, unit, entry, seed)
        except CpuBudgetExceeded as error:
            is_spent = True
            validation = _build_spent_validation(unit, error.outcome)

        label = unit.instantiations[entry].label if unit.instantiations else ""
        run = replace(validation.run, instantiation=label)
        validations.append(replace(validation, run=run))
        if is_spent or validation.suite is not None:
            return validations[-1]

        code = validation.run.pass_exe.code
        if code not in _INSTANTIATION_PROBLEMS:
            break

        if code in _REFUSALS and len(validations) == 1:
            entries += choose_other_types(unit.instantiations)

    return validations[0]


def _build_spent_validation(unit: KernelUnit, outcome: Outcome) -> CpuValidation:
    """Return the validation of a unit whose runs took all the time that they may."""
    is_timeout = outcome is Outcome.TIMEOUT
    behaviour = Behaviour.TIMEOUT if is_timeout else Behaviour.UNSUPPORTED
    return build_failed_validation(unit, behaviour, str(outcome))


def _validate_entry(
    kernel: Kernel, unit: KernelUnit, entry: int, seed: int
) -> CpuValidation:
    """Return what comes of an instantiation whose structures their constructors make; else of
    one that has them filled.

    A constructor that cannot be called, or whose structures do not run, is no verdict on the
    kernel.
    """
    constructing_unit = add_constructor_factories(kernel, unit, entry)
    if constructing_unit is None:
        return _validate_unit(kernel, unit, entry, seed)

    constructed = _validate_unit(
        kernel, constructing_unit, entry, seed, needs_constructor=True
    )
    if constructed.suite is not None:
        return _add_note(constructed, "its structures are what their constructors make")

    code = constructed.run.pass_exe.code

    try:
        filled = _validate_unit(kernel, unit, entry, seed)
    except CpuBudgetExceeded:
        if code in _CONSTRUCTION_PROBLEMS:
            raise
        return _add_note(
            constructed,
            "its structures are what their constructors make;"
            " filled member by member it takes too long",
        )

    return _add_note(
        filled,
        f"its structures are filled member by member, with those of constructors: {code}",
    )


def _add_note(validation: CpuValidation, note: str) -> CpuValidation:
    verdict = validation.run.pass_exe
    verdict = replace(verdict, message=f"{verdict.message}; {note}")
    return replace(validation, run=replace(validation.run, pass_exe=verdict))


def _validate_unit(
    kernel: Kernel,
    unit: KernelUnit,
    entry: int,
    seed: int,
    *,
    needs_constructor: bool = False,
) -> CpuValidation:
    """Return what comes of one instantiation, its structures filled as its unit has them."""
    traced_program = _build_traced_program(kernel, unit, entry)
    if not traced_program.executable:
        return build_uncompiled_validation(unit, traced_program)

    signatures = traced_program.signatures
    if entry >= len(signatures) or not _fits_definition(kernel, signatures[entry]):
        return build_failed_validation(unit, Behaviour.UNSUPPORTED, "no-signature")
    # a class that is not constructible from plain data is filled like any other
    if needs_constructor and not _has_constructed_parameter(signatures[entry]):
        return build_failed_validation(
            unit,
            Behaviour.UNSUPPORTED,
            "no-signature",
            "no constructor takes plain data alone",
        )

    ordinary_case = find_ordinary_case(kernel, unit, entry, traced_program, seed)
    if not ordinary_case.trial_result.is_usable:
        return build_unusable_validation(unit, ordinary_case.trial_result)

    failure = _fail_by_launcher(unit, ordinary_case, seed)
    if failure is not None:
        return failure

    program = build_cpu_program(
        unit, BuildOptions(fast_build=True), entry=entry, describe=False
    )
    if not program.executable:
        return build_uncompiled_validation(unit, program)

    precondition = find_precondition(ordinary_case.subject, ordinary_case.trial_result)
    trial_result = ordinary_case.trial_result
    if has_untraced_fault(program, ordinary_case.subject, [trial_result]):
        aligned_case = find_ordinary_case(
            kernel, unit, entry, traced_program, seed, size_multiple=ALIGNMENT_ELEMENTS
        )
        if aligned_case.trial_result.is_usable:
            ordinary_case = aligned_case
            precondition = describe_precondition(NEEDS_ALIGNED_SIZES)

    # only now: an alignment that helps may change the sizes, and so what overflows
    failure = _fail_by_arithmetic(unit, program, ordinary_case)
    if failure is not None:
        return failure

    blobs = Blobs()
    judgements = judge_cases(program, ordinary_case, seed, blobs)

    return conclude_validation(unit, seed, judgements, blobs, precondition)


def _fail_by_launcher(
    unit: KernelUnit, ordinary_case: OrdinaryCase, seed: int
) -> CpuValidation | None:
    """Return the validation of a kernel that goes wrong as its launcher launches it."""
    violation = find_launcher_violation(
        ordinary_case.subject, ordinary_case.trial_result, seed
    )
    if violation is None:
        return None

    behaviour = choose_fault_behaviour(violation.code)
    return build_failed_validation(unit, behaviour, violation.code, violation.message)


def _fail_by_arithmetic(
    unit: KernelUnit, program: Program, ordinary_case: OrdinaryCase
) -> CpuValidation | None:
    """Return the validation of a kernel that computes with what has no value."""
    if reads_uninitialised_locals(program, unit, ordinary_case):
        return build_failed_validation(
            unit,
            Behaviour.UNDEFINED,
            "uninitialised-read",
            "its results depend on what its local variables hold before they are written",
        )

    overflow = ordinary_case.trial_result.execution.find_finding("integer-overflow")
    if overflow is None:
        return None

    message = describe_finding(ordinary_case.trial_result, overflow.kind)
    return build_failed_validation(unit, Behaviour.UNDEFINED, overflow.kind, message)


def _build_traced_program(kernel: Kernel, unit: KernelUnit, entry: int) -> Program:
    options = BuildOptions(
        trace=True,
        sanitise=True,
        count_branches=True,
        zero_locals=True,
        fast_build=True,
    )
    queries = collect_constant_queries(kernel, unit, entry)
    return build_cpu_program(unit, options, entry=entry, queries=queries)


def _fits_definition(kernel: Kernel, signature: Signature) -> bool:
    argument_count = len(list_argument_positions(signature))
    return accepts_argument_count(kernel.parameters, argument_count)


def _has_constructed_parameter(signature: Signature) -> bool:
    return any(parameter.constructed_parameter >= 0 for parameter in signature)


def accepts_argument_count(
    parameters: Sequence[Parameter], argument_count: int
) -> bool:
    """Tell whether an instantiation with so many parameters is of a kernel with these; a pack
    may be any number.
    """
    if not parameters:
        return True
    if "..." in parameters[-1].type:
        return argument_count >= len(parameters) - 1

    return argument_count == len(parameters)
