"""Run cases of a template in double precision to measure rounding error."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.model import KernelUnit
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import Buffer, KernelLaunch
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.emulator.source.program_source import (
    keep_single_instantiation,
    list_entry_names,
)
from crawler.validate.inputs.arguments.argument_layout import (
    ArgumentLayout,
    build_argument_layout,
)
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.values.scalar_types import ScalarType, decode, encode

# template arguments are the compiler's spelling: `float` is a word of its own in them
_FLOAT: Final = re.compile(r"\bfloat\b")


def run_in_double_precision(
    unit: KernelUnit,
    float_layout: ArgumentLayout,
    entry: int,
    parameter_names: Sequence[str],
    cases: Sequence[tuple[Trial, KernelLaunch]],
) -> tuple[Execution | None, ...]:
    """Run `cases` with `double` for `float` among the template's arguments; what they leave is
    rounded to `float`.

    `None` for a case that cannot be run so; nothing at all where the kernel is no template of
    `float`.
    """
    double_unit = _instantiate_for_double(unit, entry)
    if double_unit is None:
        return ()

    program = build_cpu_program(double_unit, BuildOptions(fast_build=True))
    # `double` may be no type that the template is written for
    if not program.executable or len(program.signatures) != 1:
        return ()

    double_layout = build_argument_layout(
        program.signatures[0],
        parameter_names,
        float_layout.kernel_words,
        float_layout.stride_parameters,
    )

    if not _correspond(float_layout, double_layout):
        return ()

    # memory that no pointer of the layout reaches has no type that could be wider
    slot_count = len(float_layout.buffer_slots)
    positions = [
        position
        for position, (_, launch) in enumerate(cases)
        if len(launch.buffers) == slot_count
    ]
    launches = [
        _widen_launch(*cases[position], float_layout, double_layout)
        for position in positions
    ]
    executions: list[Execution | None] = [None] * len(cases)

    for position, execution in zip(
        positions, run_launches(program, launches), strict=True
    ):
        if execution.outcome is Outcome.DONE:
            executions[position] = _narrow(execution, float_layout, double_layout)

    return tuple(executions)


def _instantiate_for_double(unit: KernelUnit, entry: int) -> KernelUnit | None:
    """Return a unit with one instantiation, of `double`; `None` for one that is not of `float`."""
    if entry >= len(unit.instantiations):
        return None

    instantiation = unit.instantiations[entry]
    if "float" not in instantiation.arguments:
        return None

    name = list_entry_names(unit)[entry]
    template, bracket, arguments = name.partition("<")
    double_name = template + bracket + _FLOAT.sub("double", arguments)
    # the unit's last lines name each instantiation as `decltype(k<float>) k<float>`
    source = keep_single_instantiation(unit, entry).replace(
        f"decltype({name}) {name};", f"decltype({double_name}) {double_name};"
    )
    double_arguments = tuple(
        _FLOAT.sub("double", argument) for argument in instantiation.arguments
    )
    digest = hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()

    return replace(
        unit,
        source=source,
        instantiations=(replace(instantiation, arguments=double_arguments),),
        digest=digest,
    )


def _correspond(float_layout: ArgumentLayout, double_layout: ArgumentLayout) -> bool:
    """Tell whether layouts are alike but for numbers that are twice as wide."""
    float_slots = float_layout.buffer_slots
    double_slots = double_layout.buffer_slots
    if len(float_slots) != len(double_slots):
        return False

    float_names = [slot.name for slot in float_layout.scalar_slots]
    double_names = [slot.name for slot in double_layout.scalar_slots]
    if float_names != double_names:
        return False

    for number in range(len(float_slots)):
        is_same = float_slots[number].element == double_slots[number].element
        if not is_same and not _is_wider(float_layout, double_layout, number):
            return False

    return True


def _is_wider(
    float_layout: ArgumentLayout, double_layout: ArgumentLayout, number: int
) -> bool:
    narrow = float_layout.buffer_slots[number].element
    wide = double_layout.buffer_slots[number].element

    return (
        narrow is not None
        and wide is not None
        and narrow.scalar is ScalarType.FLOAT
        and wide.scalar is ScalarType.DOUBLE
        and 2 * narrow.size == wide.size
    )


def _widen_launch(
    trial: Trial,
    launch: KernelLaunch,
    float_layout: ArgumentLayout,
    double_layout: ArgumentLayout,
) -> KernelLaunch:
    """Return a launch with buffers of `double` where the other kernel has such."""
    is_wider = [
        _is_wider(float_layout, double_layout, number)
        for number in range(len(float_layout.buffer_slots))
    ]
    leading_bytes = tuple(
        2 * count if wider else count
        for count, wider in zip(trial.memory.leading_bytes, is_wider, strict=True)
    )
    memory = replace(trial.memory, leading_bytes=leading_bytes)
    arguments = replace(trial, memory=memory).build_arguments(double_layout)
    buffers = tuple(
        _widen_buffer(buffer) if wider else buffer
        for buffer, wider in zip(launch.buffers, is_wider, strict=True)
    )

    return replace(
        launch,
        entry=0,
        arguments=arguments,
        buffers=buffers,
        # what of it holds the wider type is not known
        shared_bytes=launch.shared_bytes * (2 if any(is_wider) else 1),
    )


def _widen_buffer(buffer: Buffer) -> Buffer:
    content = buffer.content
    if content is not None:
        content = encode(ScalarType.DOUBLE, decode(ScalarType.FLOAT, content))

    return replace(buffer, size=2 * buffer.size, content=content)


def _narrow(
    execution: Execution, float_layout: ArgumentLayout, double_layout: ArgumentLayout
) -> Execution:
    """Return an execution with its results rounded to `float`."""
    buffers = list(execution.buffers)

    for number, content in enumerate(execution.buffers):
        if _is_wider(float_layout, double_layout, number):
            numbers = decode(ScalarType.DOUBLE, content)
            buffers[number] = encode(ScalarType.FLOAT, numbers)

    return replace(execution, buffers=tuple(buffers))
