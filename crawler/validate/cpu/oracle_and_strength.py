"""Check a suite of cases against an independent oracle, and measure its strength."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crawler.model import Kernel, KernelUnit, OperatorRole
from crawler.plugins import load_plugins
from crawler.validate.cpu.validation import CpuValidation
from crawler.validate.oracle_agreement import apply_agreement
from crawler.validate.oracle_interface import GoldenOracle
from crawler.validate.strength.suite_strength import measure_strength as measured


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
    What could not be run stays as
    it is.
    """
    used = unit or kernel.unit
    if validation.suite is None or used is None:
        return validation
    run, suite = validation.run, validation.suite
    for oracle in load_plugins("crawler.validate.oracles", GoldenOracle):
        agreement = oracle.find_agreement(
            kernel, used, suite, validation.blobs, read_file
        )
        if agreement is not None and agreement.is_conclusive:
            run, suite = apply_agreement(run, suite, validation.blobs, agreement)
            break
    if measures_strength:
        run = replace(
            run,
            strength=measured(used, suite, validation.blobs, seconds=mutant_seconds),
        )
    return replace(validation, run=run, suite=suite)


def list_cpu_files(kernel: Kernel) -> tuple[str, ...]:
    """Return the paths of the files with a CPU implementation that the kernel's operators name,
    sorted.
    """
    parts = (part for each in kernel.operators for part in each.parts)
    found = {part.span.path for part in parts if part.role is OperatorRole.CPU}
    return tuple(
        sorted(
            found
            | {code.span.path for code in kernel.host if code.role is OperatorRole.CPU}
        )
    )
