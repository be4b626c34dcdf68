"""Find out whether a kernel reads local variables that it never wrote.

Programs are made with what such variables hold at first: zeros where they are traced, a pattern
where they are run for their results.
"""

from __future__ import annotations

from collections.abc import Sequence

from crawler.model import KernelUnit
from crawler.validate.cpu.cases.subject_search import OrdinaryCase
from crawler.validate.emulator.execution_report import Execution
from crawler.validate.emulator.launch import KernelLaunch
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.values.element_types import ElementType


def reads_uninitialised_locals(
    program: Program, unit: KernelUnit, ordinary_case: OrdinaryCase
) -> bool:
    """Tell whether results differ between a program with a pattern in its locals, which is
    `program`, and one with zeros.
    """
    subject = ordinary_case.subject
    trial_result = ordinary_case.trial_result
    elements = trial_result.trial.memory.elements
    launch = trial_result.trial.build_launch(subject.layout)
    execution, repeated = run_launches(program, [launch, launch])
    # the traced run had zeros there: where it gave the same, nothing has to be compiled
    if not _differs(execution, trial_result.execution, elements):
        return False
    # a clock differs anyhow
    if _differs(execution, repeated, elements):
        return False

    zeroed = _run_with_zeros(unit, launch, ordinary_case.subject.entry)

    return zeroed is not None and _differs(execution, zeroed, elements)


def _run_with_zeros(
    unit: KernelUnit, launch: KernelLaunch, entry: int
) -> Execution | None:
    options = BuildOptions(zero_locals=True, fast_build=True)
    program = build_cpu_program(unit, options, entry=entry, describe=False)
    if not program.executable:
        return None

    (execution,) = run_launches(program, [launch])

    return execution


def _differs(
    first: Execution, second: Execution, elements: Sequence[ElementType]
) -> bool:
    """Tell whether two runs ended otherwise, or left other numbers."""
    if first.outcome is not second.outcome:
        return True

    return any(
        _mask_padding(first_bytes, element) != _mask_padding(second_bytes, element)
        for first_bytes, second_bytes, element in zip(
            first.buffers, second.buffers, elements, strict=True
        )
    )


def _mask_padding(content: bytes, element: ElementType) -> bytes:
    """Return content with zeros between the fields of its structures, which hold nothing."""
    if element.fields is None:
        return content

    masked = bytearray(len(content))
    for field in element.fields:
        for place in range(field.offset, field.offset + field.scalar.size):
            masked[place :: element.size] = content[place :: element.size]

    return bytes(masked)
