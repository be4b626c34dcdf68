"""Check a suite of cases against an independent oracle, and measure its strength."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Kernel, KernelUnit, Status
from crawler.plugins import load_plugins
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.host_functions.cpu_paths import list_cpu_paths
from crawler.validate.oracle_agreement import apply_agreement
from crawler.validate.oracle_interface import GoldenOracle
from crawler.validate.strength import suite_strength
from crawler.validate.strength.strength_class import (
    StrengthThresholds,
    classify_strength,
)

_USUAL_THRESHOLDS: Final = StrengthThresholds()


def assess_suite(
    kernel: Kernel,
    validation: CpuValidation,
    unit: KernelUnit | None = None,
    *,
    measures_strength: bool = True,
    mutant_seconds: float = 30.0,
    thresholds: StrengthThresholds = _USUAL_THRESHOLDS,
    read_file: Callable[[str], str | None] = lambda _: None,
    versions: Sequence[Kernel] = (),
) -> CpuValidation:
    """Return `validation` with an independent oracle where the project has one, and with the
    strength of its cases.

    Mutants run for about `mutant_seconds`; `thresholds` say what is strong; `read_file` gives a
    file of the project by its path; `versions` are its other kernels that may be the same.
    What could not be run stays as it is.
    """
    unit = unit or kernel.unit
    if validation.suite is None or unit is None:
        return validation

    run = validation.run
    suite = validation.suite
    # each costs a compilation, and cannot mend what the kernel itself has shown
    if run.pass_exe.status is not Status.CONSISTENT:
        versions = ()

    for oracle in load_plugins("crawler.validate.oracles", GoldenOracle):
        agreement = oracle.find_agreement(
            kernel, unit, suite, validation.blobs, read_file, versions
        )
        if agreement is not None and agreement.is_conclusive:
            run, suite = apply_agreement(run, suite, validation.blobs, agreement)
            break

    if measures_strength:
        strength = suite_strength.measure_strength(
            unit, suite, validation.blobs, seconds=mutant_seconds
        )
        run = replace(run, strength=classify_strength(strength, thresholds))

    return replace(validation, run=run, suite=suite)


def list_cpu_files(kernel: Kernel) -> tuple[str, ...]:
    """Return the paths of the files with a CPU implementation that the kernel's operators name,
    sorted.
    """
    return tuple(sorted(list_cpu_paths(kernel)))
