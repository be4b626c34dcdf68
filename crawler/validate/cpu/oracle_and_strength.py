"""Check a suite of cases against an independent oracle, and measure its strength."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crawler.model import Kernel, KernelUnit, OperatorRole
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.oracles.project_cpu import apply_agreement, find_agreement
from crawler.validate.strength import suite_strength


def assess_suite(
    kernel: Kernel,
    validation: CpuValidation,
    unit: KernelUnit | None = None,
    *,
    measures_strength: bool = True,
    mutant_seconds: float = 30.0,
    read_file: Callable[[str], str | None] = lambda _: None,
) -> CpuValidation:
    """Return `validation` with an independent oracle where the project has one, and with the
    strength of its cases.

    Mutants run for about `mutant_seconds`; `read_file` gives a file of the project by its path.
    What could not be run stays as it is.
    """
    unit = unit or kernel.unit
    if validation.suite is None or unit is None:
        return validation

    run = validation.run
    suite = validation.suite

    # the search compiles project code: only where a CPU implementation is named
    if list_cpu_files(kernel):
        agreement = find_agreement(kernel, unit, suite, validation.blobs, read_file)
        if agreement:
            run, suite = apply_agreement(run, suite, validation.blobs, agreement)

    if measures_strength:
        strength = suite_strength.measure_strength(
            unit, suite, validation.blobs, seconds=mutant_seconds
        )
        run = replace(run, strength=strength)

    return replace(validation, run=run, suite=suite)


def list_cpu_files(kernel: Kernel) -> tuple[str, ...]:
    """Return the paths of the files with a CPU implementation that the kernel's operators name,
    sorted.
    """
    paths: set[str] = set()

    for operator in kernel.operators:
        for part in operator.parts:
            if part.role is OperatorRole.CPU:
                paths.add(part.span.path)

    for function in kernel.host:
        if function.role is OperatorRole.CPU:
            paths.add(function.span.path)

    return tuple(sorted(paths))
