"""A case in double precision, where a kernel is a template over its scalar type: how far rounding leads it astray."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import KernelUnit
from crawler.validate.inputs.slots import Layout, layout
from crawler.validate.inputs.trials import Trial
from crawler.validate.numbers import Code, decode, encode
from crawler.validate.simt.execution import Execution, Outcome
from crawler.validate.simt.launch import Buffer, Launch
from crawler.validate.simt.program import Mode, build_cpu
from crawler.validate.simt.run import execute
from crawler.validate.simt.source import entry_names, source_of_one

_FLOAT: Final = re.compile(r"\bfloat\b")


@dataclass(frozen=True, slots=True)
class _Case:
    """One launch, and the same in the layout of the wider type."""

    trial: Trial
    launch: Launch


def precise(
    unit: KernelUnit, own: Layout, entry: int, names: Sequence[str], cases: Sequence[tuple[Trial, Launch]]
) -> tuple[Execution | None, ...]:
    """Run `cases` with `double` for `float` among the template's arguments; what they leave is rounded to `float`.

    `None` for a case that cannot be run so; nothing at all where the kernel is no template of `float`.
    """
    wide = _of_double(unit, entry)
    if wide is None:
        return ()
    program = build_cpu(wide, Mode(quick=True))
    if not program.executable or len(program.signatures) != 1:
        return ()
    other = layout(program.signatures[0], names, own.spoken, own.strided)
    if not _correspond(own, other):
        return ()
    ran = execute(program, [_widened(_Case(trial, launch), other, own) for trial, launch in cases])
    return tuple(_narrowed(each, own, other) if each.outcome is Outcome.DONE else None for each in ran)


def _of_double(unit: KernelUnit, entry: int) -> KernelUnit | None:
    instantiation = unit.instantiations[entry] if entry < len(unit.instantiations) else None
    if instantiation is None or "float" not in instantiation.arguments:
        return None
    name = entry_names(unit)[entry]
    head, bracket, arguments = name.partition("<")
    wide = head + bracket + _FLOAT.sub("double", arguments)
    source = source_of_one(unit, entry).replace(f"decltype({name}) {name};", f"decltype({wide}) {wide};")
    told = tuple(_FLOAT.sub("double", each) for each in instantiation.arguments)
    digest = hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()
    return replace(unit, source=source, instantiations=(replace(instantiation, arguments=told),), digest=digest)


def _correspond(own: Layout, other: Layout) -> bool:
    if len(own.slots) != len(other.slots) or [each.name for each in own.places] != [each.name for each in other.places]:
        return False
    return all(
        one.element == two.element or _is_wider(own, other, at)
        for at, (one, two) in enumerate(zip(own.slots, other.slots, strict=True))
    )


def _is_wider(own: Layout, other: Layout, at: int) -> bool:
    one, two = own.slots[at].element, other.slots[at].element
    return (
        one is not None
        and two is not None
        and (one.code, two.code) == (Code.FLOAT, Code.DOUBLE)
        and 2 * one.size == two.size
    )


def _widened(case: _Case, other: Layout, own: Layout) -> Launch:
    wider = [_is_wider(own, other, at) for at in range(len(own.slots))]
    memory = case.trial.memory
    before = tuple(each * (1 + wide) for each, wide in zip(memory.before, wider, strict=True))
    arguments = replace(case.trial, memory=replace(memory, before=before)).arguments(other)
    buffers = tuple(_wide_buffer(each) if wide else each for each, wide in zip(case.launch.buffers, wider, strict=True))
    shared = case.launch.shared_bytes * (1 + any(wider))
    return replace(case.launch, entry=0, arguments=arguments, buffers=buffers, shared_bytes=shared)


def _wide_buffer(buffer: Buffer) -> Buffer:
    content = None if buffer.content is None else encode(Code.DOUBLE, decode(Code.FLOAT, buffer.content))
    return replace(buffer, size=2 * buffer.size, content=content)


def _narrowed(ended: Execution, own: Layout, other: Layout) -> Execution:
    buffers = tuple(
        encode(Code.FLOAT, decode(Code.DOUBLE, each)) if _is_wider(own, other, at) else each
        for at, each in enumerate(ended.buffers)
    )
    return replace(ended, buffers=buffers)
