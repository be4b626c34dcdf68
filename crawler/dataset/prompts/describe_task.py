"""Gather what a prompt may tell of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.dataset.prompts.example_case import (
    TracedCases,
    describe_example,
    find_direction,
    find_traced_cases,
    resolve_type,
)
from crawler.dataset.prompts.instantiation_groups import group_instantiations
from crawler.dataset.prompts.kernel_task import (
    Direction,
    KernelTask,
    TaskParameter,
)
from crawler.dataset.prompts.launch_contracts import describe_launches
from crawler.dataset.prompts.solution import SplitUnit
from crawler.dataset.prompts.task_documentation import list_documentation
from crawler.extract.describe.kernel_class import UNCLASSIFIED, classify_computation
from crawler.extract.describe.pointer_uses import PointerUse, find_pointer_uses
from crawler.model import (
    Case,
    Kernel,
    KernelRecord,
    KernelUnit,
    Parameter,
)

_DIRECTIONS: Final = {
    PointerUse.READ: Direction.IN,
    PointerUse.WRITTEN: Direction.OUT,
    PointerUse.READ | PointerUse.WRITTEN: Direction.INOUT,
}


def describe_task(
    record: KernelRecord, unit: KernelUnit, parts: SplitUnit
) -> KernelTask:
    """Return what prompts tell of the kernel of `record` as `unit` has it."""
    kernel = record.kernel
    traced = find_traced_cases(record)
    computation = classify_computation(kernel)
    is_classified = computation.kind != UNCLASSIFIED
    report = unit.port_report

    return KernelTask(
        language=unit.dialect.value.upper(),
        entry_point=unit.kernel_name,
        context=parts.context,
        signature=parts.signature,
        computation=computation.kind if is_classified else "",
        evidence=computation.evidence if is_classified else (),
        operators=tuple(dict.fromkeys(operator.name for operator in kernel.operators)),
        documentation=tuple(list_documentation(kernel)),
        parameters=tuple(_describe_parameters(kernel, parts, traced)),
        launches=tuple(describe_launches(kernel, parts.context)),
        example=_describe_launch_of(traced.example, kernel),
        instantiations=group_instantiations(
            instantiation.arguments
            for instantiation in unit.instantiations
            if instantiation.arguments
        ),
        template_parameters=tuple(
            parameter.name for parameter in kernel.template_parameters
        ),
        state=tuple(
            f"{variable.name} ({variable.kind}, {variable.type})"
            for variable in kernel.state
        ),
        wave=report.wave.value if report else "",
    )


def _describe_parameters(
    kernel: Kernel, parts: SplitUnit, traced: TracedCases
) -> Iterator[TaskParameter]:
    declarations = parts.declarations
    launched = dict(kernel.launches[0].argument_map) if kernel.launches else {}
    arguments = map_template_arguments(kernel, kernel.unit, traced.example)
    uses = find_pointer_uses(kernel)

    for position, parameter in enumerate(kernel.parameters):
        declaration = f"{parameter.type} {parameter.name}".strip()
        # a parameter that a macro makes is not among them
        if len(declarations) == len(kernel.parameters):
            declaration = declarations[position]

        is_pointer = "pointer" in parameter.qualifiers
        traced_direction = find_direction(traced, parameter.name)
        direction = traced_direction or _read_direction(
            parameter, is_pointer, uses.get(parameter.name)
        )
        value_type = resolve_type(parameter.canonical_type or parameter.type, arguments)
        launched_as = launched.get(parameter.name, "")
        yield TaskParameter(
            name=parameter.name,
            declaration=declaration,
            direction=direction,
            is_traced=traced_direction is not None,
            launched_as=launched_as if launched_as != parameter.name else "",
            example=describe_example(
                traced.example, parameter.name, value_type, is_pointer
            ),
        )


def map_template_arguments(
    kernel: Kernel, unit: KernelUnit | None, example: Case | None
) -> dict[str, str]:
    """Return the template arguments that `unit` has in a case, by the names of their parameters
    and by those that clang gives them; none where that is not known.
    """
    if example is None or unit is None or example.entry >= len(unit.instantiations):
        return {}

    values: dict[str, str] = {}
    arguments = unit.instantiations[example.entry].arguments
    pairs = zip(kernel.template_parameters, arguments, strict=False)
    for position, (parameter, argument) in enumerate(pairs):
        values[parameter.name] = argument
        # how clang spells it in a canonical type
        values[f"type-parameter-0-{position}"] = argument

    return values


def _read_direction(
    parameter: Parameter, is_pointer: bool, use: PointerUse | None
) -> Direction:
    if not is_pointer:
        return Direction.VALUE
    if "const" in parameter.qualifiers:
        return Direction.IN
    return Direction.UNKNOWN if use is None else _DIRECTIONS[use]


def _describe_launch_of(case: Case | None, kernel: Kernel) -> str:
    if case is None:
        return ""

    grid = ", ".join(map(str, case.grid))
    block = ", ".join(map(str, case.block))
    text = f"grid ({grid}), block ({block}), {case.shared_bytes} bytes of dynamic shared memory"
    unit = kernel.unit
    if unit is None or case.entry >= len(unit.instantiations):
        return text

    arguments = ", ".join(unit.instantiations[case.entry].arguments)
    return f"with <{arguments}>: {text}" if arguments else text
