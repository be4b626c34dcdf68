"""Gather what a prompt may tell of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.cpp.brackets import closing_in_code
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import DEFINITION
from crawler.dataset.prompts.example_case import (
    TracedCases,
    describe_example,
    find_direction,
    find_traced_cases,
    resolve_type,
)
from crawler.dataset.prompts.kernel_task import (
    Direction,
    KernelTask,
    TaskLaunch,
    TaskParameter,
)
from crawler.dataset.prompts.launch_statements import select_configuring
from crawler.dataset.prompts.solution import SplitUnit
from crawler.extract.describe.kernel_class import UNCLASSIFIED, classify_computation
from crawler.model import (
    Case,
    CompanionKind,
    Kernel,
    KernelRecord,
    KernelUnit,
    Launch,
    Parameter,
)

_MAX_LAUNCHES: Final = 4
"""Ways of launching that one prompt tells of."""
_MAX_DEFINITION_CHARACTERS: Final = 300
_DEFINITION_KINDS: Final = (
    CompanionKind.MACRO,
    CompanionKind.CONSTANT,
    CompanionKind.FUNCTION,
)


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
        parameters=tuple(_describe_parameters(kernel, parts, traced)),
        launches=tuple(_describe_launches(kernel, parts)),
        example=_describe_launch_of(traced.example, kernel),
        instantiations=tuple(
            ", ".join(instantiation.arguments)
            for instantiation in unit.instantiations
            if instantiation.arguments
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

    for position, parameter in enumerate(kernel.parameters):
        declaration = f"{parameter.type} {parameter.name}".strip()
        # a parameter that a macro makes is not among them
        if len(declarations) == len(kernel.parameters):
            declaration = declarations[position]

        is_pointer = "pointer" in parameter.qualifiers
        traced_direction = find_direction(traced, parameter.name)
        direction = traced_direction or _read_direction(parameter, is_pointer)
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


def _read_direction(parameter: Parameter, is_pointer: bool) -> Direction:
    if not is_pointer:
        return Direction.VALUE

    return Direction.IN if "const" in parameter.qualifiers else Direction.UNKNOWN


def _describe_launches(kernel: Kernel, parts: SplitUnit) -> Iterator[TaskLaunch]:
    configurations: set[tuple[str, str, str]] = set()
    for launch in kernel.launches:
        configuration = (launch.grid, launch.block, launch.shared_bytes)
        if configuration in configurations or len(configurations) == _MAX_LAUNCHES:
            continue

        configurations.add(configuration)
        yield TaskLaunch(
            launcher=launch.enclosing,
            grid=_to_line(launch.grid),
            block=_to_line(launch.block),
            shared_bytes=_to_line(launch.shared_bytes),
            definitions=tuple(_list_definitions(kernel, launch, parts.context)),
        )


def _list_definitions(kernel: Kernel, launch: Launch, context: str) -> Iterator[str]:
    """Yield what the names in a launch configuration stand for, but what the context shows."""
    configuration = f"{launch.grid} {launch.block} {launch.shared_bytes}"
    setup = _to_line(select_configuring(launch.setup, configuration))
    if _is_whole(setup):
        yield setup

    words = IDENTIFIER.findall(f"{configuration} {setup}")
    given = {macro[1] for macro in DEFINITION.finditer(context)}
    pending = dict.fromkeys(words)
    listed: set[str] = set()

    while pending:
        name = next(iter(pending))
        del pending[name]
        for companion in kernel.companions:
            is_definition = companion.kind in _DEFINITION_KINDS
            if not is_definition or companion.name.rpartition("::")[2] != name:
                continue
            text = _to_line(companion.source)
            if name in listed | given or len(text) > _MAX_DEFINITION_CHARACTERS:
                continue

            listed.add(name)
            yield text
            pending |= dict.fromkeys(IDENTIFIER.findall(text))


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


def _is_whole(statements: str) -> bool:
    """Tell whether a slice of a function begins and ends with a statement."""
    begins_well = IDENTIFIER.match(statements) is not None
    code = f"({statements})"
    is_balanced = closing_in_code(code, 0) == len(code) - 1
    return begins_well and is_balanced and statements.endswith((";", "}"))


def _to_line(text: str) -> str:
    return " ".join(text.replace("\\\n", " ").split())
