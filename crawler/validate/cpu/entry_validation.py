"""Validate one instantiation of a kernel on the CPU: find inputs, run every variant, judge it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Behaviour, Extents, Kernel, KernelUnit, Parameter
from crawler.validate.cpu.cases.case_runs import derive_golden_cases
from crawler.validate.cpu.cases.local_variables import reads_uninitialised_locals
from crawler.validate.cpu.cases.preconditions import (
    NEEDS_ALIGNED_SIZES,
    describe_precondition,
    find_precondition,
)
from crawler.validate.cpu.cases.subject_search import (
    OrdinaryCase,
    find_ordinary_case,
    has_untraced_fault,
)
from crawler.validate.cpu.launcher_checks.kept_orders import breaks_kept_orders
from crawler.validate.cpu.launcher_checks.launcher_check import check_against_launcher
from crawler.validate.cpu.recorded_entry import RecordedEntry, note_recorded_cases
from crawler.validate.cpu.result import (
    CpuValidation,
    build_failed_validation,
    build_uncompiled_validation,
    build_unusable_validation,
    choose_fault_behaviour,
    describe_finding,
)
from crawler.validate.cpu.suite import conclude_validation
from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.source.constant_queries import collect_constant_queries
from crawler.validate.emulator.source.constructor_factories import (
    add_constructor_factories,
)
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.sizes.stride_choices import ALIGNMENT_ELEMENTS
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.parameter_types import (
    Signature,
    list_argument_positions,
)

_CONSTRUCTION_PROBLEMS: Final = (
    "no-signature",
    "host-compile-error",
    "host-compile-timeout",
    "missing-header",
)
"""Why no structure was made by its constructor."""


def validate_entry(
    kernel: Kernel,
    unit: KernelUnit,
    entry: int,
    seed: int,
    recordings: Sequence[RecordedLaunch] = (),
) -> CpuValidation:
    """Return what comes of an instantiation whose structures their constructors make; else of
    one that has them filled, and is held on `recordings`, launches of the kernel.

    A constructor that cannot be called, or whose structures do not run, is no verdict on the
    kernel.
    """
    constructing_unit = add_constructor_factories(kernel, unit, entry)
    if constructing_unit is None:
        return _validate_unit(kernel, unit, entry, seed, recordings)

    constructed = _validate_unit(
        kernel, constructing_unit, entry, seed, needs_constructor=True
    )
    if constructed.suite is not None:
        return _add_note(constructed, "its structures are what their constructors make")

    code = constructed.run.pass_exe.code

    try:
        filled = _validate_unit(kernel, unit, entry, seed, recordings)
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
    recordings: Sequence[RecordedLaunch] = (),
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

    recorded = RecordedEntry.replay(kernel, unit, entry, traced_program, recordings)
    if recorded.difference:
        return recorded.build_difference()

    try:
        ordinary_case = find_ordinary_case(kernel, unit, entry, traced_program, seed)
    except CpuBudgetExceeded:
        validation = recorded.validate_alone(seed)
        if validation is None:
            raise
        return validation

    replaced = _replace_case(unit, ordinary_case.trial_result, recorded, seed)
    if replaced is not None:
        return replaced

    launcher_check = check_against_launcher(
        ordinary_case.subject, ordinary_case.trial_result, seed, recorded.orders
    )
    extents = launcher_check.extents
    violation = launcher_check.violation
    if violation is not None:
        behaviour = choose_fault_behaviour(violation.code)
        failed = build_failed_validation(
            unit, behaviour, violation.code, violation.message
        )
        return _add_extents(failed, extents)

    validation = _validate_ordinary_case(
        kernel, unit, entry, seed, traced_program, ordinary_case, recorded.drafts
    )
    return note_recorded_cases(_add_extents(validation, extents))


def _replace_case(
    unit: KernelUnit, result: TrialResult, recorded: RecordedEntry, seed: int
) -> CpuValidation | None:
    """Return what is said in place of what a search came to, by recorded launches where there are
    any; `None` where it is of use, and has no numbers that those launches rule out.
    """
    if not result.is_usable:
        return recorded.validate_alone(seed) or build_unusable_validation(unit, result)
    if breaks_kept_orders(result, recorded.orders):
        return recorded.validate_alone(seed)

    return None


def _add_extents(validation: CpuValidation, extents: Extents) -> CpuValidation:
    return replace(validation, run=replace(validation.run, extents=extents))


def _validate_ordinary_case(
    kernel: Kernel,
    unit: KernelUnit,
    entry: int,
    seed: int,
    traced_program: Program,
    ordinary_case: OrdinaryCase,
    recorded_drafts: Sequence[CaseDraft],
) -> CpuValidation:
    """Return what comes of an instantiation whose ordinary case runs, and of its further ones."""
    program = build_cpu_program(
        unit, BuildOptions(fast_build=True), entry=entry, describe=False
    )
    if not program.executable:
        return build_uncompiled_validation(unit, program)

    precondition = find_precondition(ordinary_case.subject, ordinary_case.trial_result)
    if precondition is not None and precondition.is_broken:
        behaviour = choose_fault_behaviour(precondition.code)
        return build_failed_validation(
            unit, behaviour, precondition.code, precondition.message
        )

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
    golden_cases = derive_golden_cases(
        program, ordinary_case, seed, blobs, recorded_drafts
    )

    return conclude_validation(unit, seed, golden_cases, blobs, precondition)


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
