"""From what the variants of a case gave to golden outputs, tolerances and a behaviour."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Behaviour, BufferRole, Case, CaseArgument, CaseBuffer, CasePointer
from crawler.validate.behaviour.variants import MATHS, Variants
from crawler.validate.blobs import Blobs
from crawler.validate.compare import Spread, near, spread
from crawler.validate.inputs.alarms import OVERWRITE
from crawler.validate.inputs.cases import Draft
from crawler.validate.inputs.plan import Subject
from crawler.validate.inputs.trials import Trial, is_telling, writes_one_value
from crawler.validate.numbers import Code, decode
from crawler.validate.simt.execution import Execution, Outcome
from crawler.validate.simt.launch import Argument, Pointer
from crawler.validate.simt.signature import given

_FACTOR: Final = 4.0
"""Times the spread that was measured is allowed."""
_FLOOR: Final = 16.0
"""Times a type's rounding, where a device may round otherwise than a CPU."""
_MOST_NOISE: Final = 0.02
"""Of an output's largest magnitude: what differs more between orders is no noise of rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One case with its golden outputs, and what it shows of its kernel."""

    case: Case
    behaviour: Behaviour
    code: str = ""
    is_trivial: bool = False
    by_lanes: bool = False
    """Whether warps of 64 lanes give other results."""


def judged(subject: Subject, draft: Draft, ran: Variants, blobs: Blobs) -> Judged:
    """Return a case with its gold and how its kernel behaves in it."""
    written = tuple(_written(draft))
    case = _case(subject, draft, ran.gold, blobs)
    bad = _ended(ran.gold) or next((_ended(each) for each in ran.orders if _ended(each)), "")
    if bad:
        behaviour = Behaviour.TIMEOUT if bad == "timeout" else Behaviour.UNDEFINED
        return Judged(case=case, behaviour=behaviour, code=bad)
    order = _spreads(draft, written, ran.gold, ran.orders)
    behaviour, code = _behaviour(draft, written, order)
    rounding = _spreads(draft, written, ran.gold, [each for each in (ran.contracted,) if each and not _ended(each)])
    exact = not MATHS.search(subject.unit.source) and all(each.is_none for each in (*order, *rounding))
    apart = [one.widened(two) for one, two in zip(order, rounding, strict=True)]
    if not exact and ran.precise is not None:
        apart = [each.widened(_lost(draft, at, ran.gold, ran.precise)) for at, each in enumerate(apart)]
    buffers = tuple(
        _with_gold(buffer, at, draft, ran, apart[at], exact, blobs) for at, buffer in enumerate(case.buffers)
    )
    wide = _spreads(draft, written, ran.gold, [ran.wide]) if ran.wide and not _ended(ran.wide) else ()
    return Judged(
        case=_replace_buffers(case, buffers),
        behaviour=behaviour,
        code=code,
        is_trivial=_is_trivial(draft, ran),
        by_lanes=any(math.isinf(each.relative) or each.relative > _MOST_NOISE for each in wide),
    )


def quiet(draft: Draft) -> tuple[int, ...]:
    """Return the mere outputs, whose content before a launch is no input; not those that are given one value."""
    found = draft.found
    return tuple(
        at
        for at, access in enumerate(found.execution.accesses)
        if access.role == BufferRole.OUT and not writes_one_value(found.trial, found.execution, at)
    )


def _ended(execution: Execution) -> str:
    """Return why a run has no results; empty where it has."""
    if execution.outcome is Outcome.DONE and execution.finding("out-of-bounds") is None:
        return ""
    if execution.outcome is Outcome.TIMEOUT:
        return "timeout"
    return execution.findings[0].kind if execution.findings else str(execution.outcome)


def _written(draft: Draft) -> Iterator[int]:
    for at, access in enumerate(draft.found.execution.accesses):
        if BufferRole(access.role).is_written:
            yield at


def _spreads(draft: Draft, written: Sequence[int], gold: Execution, others: Sequence[Execution]) -> list[Spread]:
    memory = draft.found.trial.memory
    found = [Spread()] * len(memory.elements)
    for at in written:
        for each in others:
            if each.buffers:
                found[at] = found[at].widened(spread(memory.elements[at].code, gold.buffers[at], each.buffers[at]))
    return found


def _lost(draft: Draft, at: int, gold: Execution, precise: Execution) -> Spread:
    """Return what a result loses by rounding; where rounding decided otherwise, it tells nothing of the others."""
    if not BufferRole(draft.found.execution.accesses[at].role).is_written or not precise.buffers:
        return Spread()
    return near(draft.found.trial.memory.elements[at].code, gold.buffers[at], precise.buffers[at], _MOST_NOISE)


def _behaviour(draft: Draft, written: Sequence[int], order: Sequence[Spread]) -> tuple[Behaviour, str]:
    accesses = draft.found.execution.accesses
    if all(order[at].is_none for at in written):
        return Behaviour.DETERMINISTIC, ""
    if OVERWRITE in draft.found.alarms or not any(access.atomic for access in accesses):
        return Behaviour.RACY, "race"
    noisy = all(order[at].relative <= _MOST_NOISE for at in written)
    if noisy:
        return Behaviour.ATOMIC_NONDETERMINISTIC, ""
    if any(order[at].relative <= _MOST_NOISE for at in written):
        return Behaviour.ATOMIC_NONDETERMINISTIC, "order-dependent-buffer"
    return Behaviour.RACY, "order-dependent"


def _case(subject: Subject, draft: Draft, gold: Execution, blobs: Blobs) -> Case:
    trial = draft.found.trial
    silent = quiet(draft)
    placed = trial.buffers(subject.layout)
    contents = [each.content or b"" for each in placed]
    buffers = tuple(
        CaseBuffer(
            name=slot.name,
            element=trial.memory.elements[at].name,
            element_size=trial.memory.elements[at].size,
            size=len(contents[at]),
            role=BufferRole(draft.found.execution.accesses[at].role),
            content="" if at in silent else blobs.put(contents[at]),
            pointers=() if at in silent else _pointers(placed[at].pointers),
        )
        for at, slot in enumerate(subject.layout.slots)
    )
    names = [each.name for each in subject.kernel.parameters]
    arguments = tuple(
        CaseArgument(
            name=names[at] if at < len(names) and names[at] else f"argument{at}",
            content=each.content.hex(),
            pointers=_pointers(each.pointers),
        )
        for at, each in enumerate(_arguments(subject, trial, gold))
    )
    configuration, execution = trial.configuration, draft.found.execution
    return Case(
        name=draft.name,
        kind=draft.kind,
        entry=subject.entry,
        grid=configuration.grid,
        block=configuration.block,
        shared_bytes=configuration.shared_bytes,
        arguments=arguments,
        buffers=buffers,
        hidden=draft.hidden,
        bytes_read=sum(access.bytes_read for access in execution.accesses),
        bytes_written=sum(access.bytes_written for access in execution.accesses),
        operations=subject.operations.of(execution.counts),
    )


def _arguments(subject: Subject, trial: Trial, gold: Execution) -> Iterator[Argument]:
    """Yield each argument of the kernel: as it was given, or as its constructor made it of what was."""
    taken, made = trial.arguments(subject.layout), dict(gold.made)
    for number, at in enumerate(given(subject.program.signatures[subject.entry])):
        yield taken[at] if at >= 0 else _told(made.get(number), len(trial.buffers(subject.layout)))


def _told(made: Argument | None, buffers: int) -> Argument:
    """Return a structure as a program told it; an empty one where it points into a buffer that there is not."""
    inside = made is not None and all(0 <= (to.buffer or 0) < buffers for _, to in made.pointers)
    return made if made is not None and inside else Argument(content=b"")


def _pointers(pointers: Sequence[tuple[int, Pointer]]) -> tuple[CasePointer, ...]:
    return tuple(CasePointer(at=place, buffer=to.buffer, offset=to.offset) for place, to in pointers)


def _replace_buffers(case: Case, buffers: tuple[CaseBuffer, ...]) -> Case:
    return replace(case, buffers=buffers)


def _with_gold(
    buffer: CaseBuffer, at: int, draft: Draft, ran: Variants, apart: Spread, exact: bool, blobs: Blobs
) -> CaseBuffer:
    if not buffer.role.is_written or apart.relative > _MOST_NOISE:
        return buffer
    begin, end = draft.found.execution.accesses[at].written
    code = draft.found.trial.memory.elements[at].code
    gold = ran.gold.buffers[at]
    absolute, relative = (0.0, 0.0) if exact else _tolerance(code, gold, apart)
    return replace(
        buffer,
        gold=blobs.put(gold),
        gold_filled=_gold_filled(buffer, at, ran, blobs),
        written=(max(0, begin), min(buffer.size, end)),
        absolute=absolute,
        relative=relative,
    )


def _gold_filled(buffer: CaseBuffer, at: int, ran: Variants, blobs: Blobs) -> str:
    """Return the digest of what a mere output holds that held something else before; empty where that is its gold."""
    told = ran.filled
    if told is None or buffer.content or _ended(told) or told.buffers[at] == ran.gold.buffers[at]:
        return ""
    return blobs.put(told.buffers[at])


def _tolerance(code: Code, gold: bytes, apart: Spread) -> tuple[float, float]:
    if not code.is_real:
        return 0.0, 0.0
    largest = max((abs(value) for value in decode(code, gold) if math.isfinite(value)), default=0.0)
    floor = _FLOOR * code.epsilon
    return max(floor * min(largest, 1e6), _FACTOR * apart.absolute), floor


def _is_trivial(draft: Draft, ran: Variants) -> bool:
    """Tell whether the outputs of a case say nothing: none, constant, or the same whatever the inputs are."""
    trial = draft.found.trial
    if is_telling(trial, replace(draft.found.execution, buffers=ran.gold.buffers), ran.other_inputs):
        return False
    return not (draft.found.tells and _changes(draft, ran))


def _changes(draft: Draft, ran: Variants) -> bool:
    """Tell whether a case of a kernel whose inputs matter writes more than one value."""
    trial = draft.found.trial
    written = _written(draft)
    return any(
        not writes_one_value(trial, replace(draft.found.execution, buffers=ran.gold.buffers), at) for at in written
    )
