"""Run cases of a template in double precision to measure rounding error."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import KernelUnit
from crawler.validate.emulator.execution import Execution, Outcome
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

_FLOAT: Final = re.compile(r"\bfloat\b")


@dataclass(frozen=True, slots=True)
class _Case:
    """One launch, and the same in the layout of the wider type."""

    trial: Trial
    launch: KernelLaunch


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
    wide = _of_double(unit, entry)
    if wide is None:
        return ()
    program = build_cpu_program(wide, BuildOptions(fast_build=True))
    if not program.executable or len(program.signatures) != 1:
        return ()
    other = build_argument_layout(
        program.signatures[0],
        parameter_names,
        float_layout.kernel_words,
        float_layout.stride_parameters,
    )
    if not _correspond(float_layout, other):
        return ()
    ran = run_launches(
        program,
        [
            _widened(_Case(trial, launch), other, float_layout)
            for trial, launch in cases
        ],
    )
    return tuple(
        _narrowed(each, float_layout, other) if each.outcome is Outcome.DONE else None
        for each in ran
    )


def _of_double(unit: KernelUnit, entry: int) -> KernelUnit | None:
    instantiation = (
        unit.instantiations[entry] if entry < len(unit.instantiations) else None
    )
    if instantiation is None or "float" not in instantiation.arguments:
        return None
    name = list_entry_names(unit)[entry]
    head, bracket, arguments = name.partition("<")
    wide = head + bracket + _FLOAT.sub("double", arguments)
    source = keep_single_instantiation(unit, entry).replace(
        f"decltype({name}) {name};", f"decltype({wide}) {wide};"
    )
    told = tuple(_FLOAT.sub("double", each) for each in instantiation.arguments)
    digest = hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()
    return replace(
        unit,
        source=source,
        instantiations=(replace(instantiation, arguments=told),),
        digest=digest,
    )


def _correspond(own: ArgumentLayout, other: ArgumentLayout) -> bool:
    if len(own.buffer_slots) != len(other.buffer_slots) or [
        each.name for each in own.scalar_slots
    ] != [each.name for each in other.scalar_slots]:
        return False
    return all(
        one.element == two.element or _is_wider(own, other, at)
        for at, (one, two) in enumerate(
            zip(own.buffer_slots, other.buffer_slots, strict=True)
        )
    )


def _is_wider(own: ArgumentLayout, other: ArgumentLayout, at: int) -> bool:
    one, two = own.buffer_slots[at].element, other.buffer_slots[at].element
    return (
        one is not None
        and two is not None
        and (one.scalar, two.scalar) == (ScalarType.FLOAT, ScalarType.DOUBLE)
        and 2 * one.size == two.size
    )


def _widened(case: _Case, other: ArgumentLayout, own: ArgumentLayout) -> KernelLaunch:
    wider = [_is_wider(own, other, at) for at in range(len(own.buffer_slots))]
    memory = case.trial.memory
    before = tuple(
        each * (1 + wide)
        for each, wide in zip(memory.leading_bytes, wider, strict=True)
    )
    arguments = replace(
        case.trial, memory=replace(memory, leading_bytes=before)
    ).build_arguments(other)
    buffers = tuple(
        _wide_buffer(each) if wide else each
        for each, wide in zip(case.launch.buffers, wider, strict=True)
    )
    shared = case.launch.shared_bytes * (1 + any(wider))
    return replace(
        case.launch, entry=0, arguments=arguments, buffers=buffers, shared_bytes=shared
    )


def _wide_buffer(buffer: Buffer) -> Buffer:
    content = (
        None
        if buffer.content is None
        else encode(ScalarType.DOUBLE, decode(ScalarType.FLOAT, buffer.content))
    )
    return replace(buffer, size=2 * buffer.size, content=content)


def _narrowed(
    ended: Execution, own: ArgumentLayout, other: ArgumentLayout
) -> Execution:
    buffers = tuple(
        encode(ScalarType.FLOAT, decode(ScalarType.DOUBLE, each))
        if _is_wider(own, other, at)
        else each
        for at, each in enumerate(ended.buffers)
    )
    return replace(ended, buffers=buffers)
