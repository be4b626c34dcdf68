"""Derive golden outputs, tolerances and a behaviour from the variants of a case."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import (
    Behaviour,
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CasePointer,
)
from crawler.validate.behaviour.variants import MATH_FUNCTION, Variants
from crawler.validate.emulator.execution import Execution, Outcome
from crawler.validate.emulator.launch import Argument, Pointer
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.informative_output import (
    has_informative_output,
    writes_single_value,
)
from crawler.validate.inputs.trials.problems import OVERWRITE
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.comparison import (
    Deviation,
    measure_close_deviation,
    measure_deviation,
)
from crawler.validate.values.parameter_types import list_argument_positions
from crawler.validate.values.scalar_types import ScalarType, decode

_FACTOR: Final = 4.0
"""Times the spread that was measured is allowed."""
_FLOOR: Final = 16.0
"""Times a type's rounding, where a device may round otherwise than a CPU."""
_MOST_NOISE: Final = 0.02
"""Of an output's largest magnitude: what differs more between orders is no noise of rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseJudgement:
    """One case with its golden outputs, and what it shows of its kernel."""

    case: Case
    behaviour: Behaviour
    code: str = ""
    is_trivial: bool = False
    depends_on_warp_size: bool = False
    """Whether warps of 64 lanes give other results."""


def judge_case(
    subject: TrialSubject, draft: CaseDraft, variant_runs: Variants, blobs: Blobs
) -> CaseJudgement:
    """Return a case with its gold and how its kernel behaves in it."""
    written = tuple(_written(draft))
    case = _case(subject, draft, variant_runs.golden, blobs)
    bad = _ended(variant_runs.golden) or next(
        (_ended(each) for each in variant_runs.other_orders if _ended(each)), ""
    )
    if bad:
        behaviour = Behaviour.TIMEOUT if bad == "timeout" else Behaviour.UNDEFINED
        return CaseJudgement(case=case, behaviour=behaviour, code=bad)
    order = _spreads(draft, written, variant_runs.golden, variant_runs.other_orders)
    behaviour, code = _behaviour(draft, written, order)
    rounding = _spreads(
        draft,
        written,
        variant_runs.golden,
        [each for each in (variant_runs.contracted,) if each and not _ended(each)],
    )
    exact = not MATH_FUNCTION.search(subject.unit.source) and all(
        each.is_zero for each in (*order, *rounding)
    )
    apart = [one.combined(two) for one, two in zip(order, rounding, strict=True)]
    if not exact and variant_runs.double_precision is not None:
        apart = [
            each.combined(
                _lost(draft, at, variant_runs.golden, variant_runs.double_precision)
            )
            for at, each in enumerate(apart)
        ]
    buffers = tuple(
        _with_gold(buffer, at, draft, variant_runs, apart[at], exact, blobs)
        for at, buffer in enumerate(case.buffers)
    )
    wide = (
        _spreads(draft, written, variant_runs.golden, [variant_runs.wide_warps])
        if variant_runs.wide_warps and not _ended(variant_runs.wide_warps)
        else ()
    )
    return CaseJudgement(
        case=_replace_buffers(case, buffers),
        behaviour=behaviour,
        code=code,
        is_trivial=_is_trivial(draft, variant_runs),
        depends_on_warp_size=any(
            math.isinf(each.relative) or each.relative > _MOST_NOISE for each in wide
        ),
    )


def list_output_buffers(draft: CaseDraft) -> tuple[int, ...]:
    """Return the mere outputs, whose content before a launch is no input; not those that are
    given one value.
    """
    found = draft.result
    return tuple(
        at
        for at, access in enumerate(found.execution.accesses)
        if access.role == BufferRole.OUT
        and not writes_single_value(found.trial, found.execution, at)
    )


def _ended(execution: Execution) -> str:
    """Return why a run has no results; empty where it has."""
    if (
        execution.outcome is Outcome.DONE
        and execution.find_finding("out-of-bounds") is None
    ):
        return ""
    if execution.outcome is Outcome.TIMEOUT:
        return "timeout"
    return execution.findings[0].kind if execution.findings else str(execution.outcome)


def _written(draft: CaseDraft) -> Iterator[int]:
    for at, access in enumerate(draft.result.execution.accesses):
        if BufferRole(access.role).is_written:
            yield at


def _spreads(
    draft: CaseDraft,
    written: Sequence[int],
    gold: Execution,
    others: Sequence[Execution],
) -> list[Deviation]:
    memory = draft.result.trial.memory
    found = [Deviation()] * len(memory.elements)
    for at in written:
        for each in others:
            if each.buffers:
                found[at] = found[at].combined(
                    measure_deviation(
                        memory.elements[at].scalar, gold.buffers[at], each.buffers[at]
                    )
                )
    return found


def _lost(draft: CaseDraft, at: int, gold: Execution, precise: Execution) -> Deviation:
    """Return what a result loses by rounding; where rounding decided otherwise, it tells
    nothing of the others.
    """
    if (
        not BufferRole(draft.result.execution.accesses[at].role).is_written
        or not precise.buffers
    ):
        return Deviation()
    return measure_close_deviation(
        draft.result.trial.memory.elements[at].scalar,
        gold.buffers[at],
        precise.buffers[at],
        _MOST_NOISE,
    )


def _behaviour(
    draft: CaseDraft, written: Sequence[int], order: Sequence[Deviation]
) -> tuple[Behaviour, str]:
    accesses = draft.result.execution.accesses
    if all(order[at].is_zero for at in written):
        return Behaviour.DETERMINISTIC, ""
    if OVERWRITE in draft.result.problems or not any(
        access.is_atomic for access in accesses
    ):
        return Behaviour.RACY, "race"
    noisy = all(order[at].relative <= _MOST_NOISE for at in written)
    if noisy:
        return Behaviour.ATOMIC_NONDETERMINISTIC, ""
    if any(order[at].relative <= _MOST_NOISE for at in written):
        return Behaviour.ATOMIC_NONDETERMINISTIC, "order-dependent-buffer"
    return Behaviour.RACY, "order-dependent"


def _case(
    subject: TrialSubject, draft: CaseDraft, gold: Execution, blobs: Blobs
) -> Case:
    trial = draft.result.trial
    silent = list_output_buffers(draft)
    placed = trial.build_buffers(subject.layout)
    contents = [each.content or b"" for each in placed]
    buffers = tuple(
        CaseBuffer(
            name=slot.name,
            element=trial.memory.elements[at].name,
            element_size=trial.memory.elements[at].size,
            size=len(contents[at]),
            role=BufferRole(draft.result.execution.accesses[at].role),
            content="" if at in silent else blobs.put(contents[at]),
            pointers=() if at in silent else _pointers(placed[at].pointers),
        )
        for at, slot in enumerate(subject.layout.buffer_slots)
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
    configuration, execution = trial.configuration, draft.result.execution
    return Case(
        name=draft.name,
        kind=draft.kind,
        entry=subject.entry,
        grid=configuration.grid,
        block=configuration.block,
        shared_bytes=configuration.shared_bytes,
        arguments=arguments,
        buffers=buffers,
        hidden=draft.is_hidden,
        bytes_read=sum(access.bytes_read for access in execution.accesses),
        bytes_written=sum(access.bytes_written for access in execution.accesses),
        operations=subject.operations.executed_operations(execution.counters),
    )


def _arguments(
    subject: TrialSubject, trial: Trial, gold: Execution
) -> Iterator[Argument]:
    """Yield each argument of the kernel: as it was given, or as its constructor made it of what
    was.
    """
    taken, made = (
        trial.build_arguments(subject.layout),
        dict(gold.constructed_arguments),
    )
    for number, at in enumerate(
        list_argument_positions(subject.program.signatures[subject.entry])
    ):
        yield (
            taken[at]
            if at >= 0
            else _told(made.get(number), len(trial.build_buffers(subject.layout)))
        )


def _told(made: Argument | None, buffers: int) -> Argument:
    """Return a structure as a program told it; an empty one where it points into a buffer that
    there is not.
    """
    inside = made is not None and all(
        0 <= (to.buffer or 0) < buffers for _, to in made.pointers
    )
    return made if made is not None and inside else Argument(content=b"")


def _pointers(pointers: Sequence[tuple[int, Pointer]]) -> tuple[CasePointer, ...]:
    return tuple(
        CasePointer(at=place, buffer=to.buffer, offset=to.offset)
        for place, to in pointers
    )


def _replace_buffers(case: Case, buffers: tuple[CaseBuffer, ...]) -> Case:
    return replace(case, buffers=buffers)


def _with_gold(
    buffer: CaseBuffer,
    at: int,
    draft: CaseDraft,
    ran: Variants,
    apart: Deviation,
    exact: bool,
    blobs: Blobs,
) -> CaseBuffer:
    if not buffer.role.is_written or apart.relative > _MOST_NOISE:
        return buffer
    begin, end = draft.result.execution.accesses[at].written_range
    code = draft.result.trial.memory.elements[at].scalar
    gold = ran.golden.buffers[at]
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
    """Return the digest of what a mere output holds that held something else before; empty
    where that is its gold.
    """
    told = ran.other_fill
    if (
        told is None
        or buffer.content
        or _ended(told)
        or told.buffers[at] == ran.golden.buffers[at]
    ):
        return ""
    return blobs.put(told.buffers[at])


def _tolerance(code: ScalarType, gold: bytes, apart: Deviation) -> tuple[float, float]:
    if not code.is_real:
        return 0.0, 0.0
    largest = max(
        (abs(value) for value in decode(code, gold) if math.isfinite(value)),
        default=0.0,
    )
    floor = _FLOOR * code.unit_roundoff
    return max(floor * min(largest, 1e6), _FACTOR * apart.absolute), floor


def _is_trivial(draft: CaseDraft, ran: Variants) -> bool:
    """Tell whether the outputs of a case say nothing: none, constant, or the same whatever the
    inputs are.
    """
    trial = draft.result.trial
    if has_informative_output(
        trial,
        replace(draft.result.execution, buffers=ran.golden.buffers),
        ran.other_inputs,
    ):
        return False
    return not (draft.result.is_informative and _changes(draft, ran))


def _changes(draft: CaseDraft, ran: Variants) -> bool:
    """Tell whether a case of a kernel whose inputs matter writes more than one value."""
    trial = draft.result.trial
    written = _written(draft)
    return any(
        not writes_single_value(
            trial, replace(draft.result.execution, buffers=ran.golden.buffers), at
        )
        for at in written
    )
