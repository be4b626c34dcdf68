"""Derive golden outputs, tolerances and a behaviour from the variants of a case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Behaviour, BufferRole, Case, CaseBuffer
from crawler.validate.behaviour.case_building import build_case
from crawler.validate.behaviour.tolerance import derive_tolerance
from crawler.validate.behaviour.variants import MATH_FUNCTION, Variants
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.informative_output import (
    has_informative_output,
    writes_single_value,
)
from crawler.validate.inputs.trials.problems import OVERWRITE
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.deviation import (
    Deviation,
    measure_close_deviation,
    measure_deviation,
)

ORDER_DEPENDENT: Final = "order-dependent"
"""Code of a kernel all of whose outputs are others in another order of its threads."""
_MAX_NOISE: Final = 0.02
"""Of an output's largest magnitude: what differs more between orders is no noise of rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenCase:
    """One case with its golden outputs, and what it shows of its kernel."""

    case: Case
    behaviour: Behaviour
    code: str = ""
    is_trivial: bool = False
    depends_on_warp_size: bool = False
    """Whether warps of 64 lanes give other results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spread:
    """How far results of a case lie apart that ought to be one."""

    order: Sequence[Deviation]
    """Of each buffer, between orders of threads."""
    total: Sequence[Deviation]
    """Of each buffer, with what rounding makes of it."""
    is_exact: bool
    """Whether every device must give the same bits."""


def derive_golden_case(
    subject: TrialSubject, draft: CaseDraft, variant_runs: Variants, blobs: Blobs
) -> GoldenCase:
    """Return a case with its gold and how its kernel behaves in it."""
    case = build_case(subject, draft, variant_runs.golden, blobs)
    # without results in every order nothing can be compared
    failure = _find_failure(variant_runs)

    if failure:
        is_timeout = failure == "timeout"
        behaviour = Behaviour.TIMEOUT if is_timeout else Behaviour.UNDEFINED
        return GoldenCase(case=case, behaviour=behaviour, code=failure)

    spread = _measure_spread(subject.unit.source, draft, variant_runs)
    behaviour, code = _classify_behaviour(draft, spread.order)
    buffers = tuple(
        _add_gold(buffer, number, draft, variant_runs, spread, blobs)
        for number, buffer in enumerate(case.buffers)
    )

    return GoldenCase(
        case=replace(case, buffers=buffers),
        behaviour=behaviour,
        code=code,
        is_trivial=_is_trivial(draft, variant_runs),
        depends_on_warp_size=_depends_on_warp_size(draft, variant_runs),
    )


def _find_failure(variant_runs: Variants) -> str:
    """Return why a case has no results in some order of threads; empty where it has in each."""
    for execution in (variant_runs.golden, *variant_runs.other_orders):
        failure = _explain_failure(execution)
        if failure:
            return failure
    return ""


def _explain_failure(execution: Execution) -> str:
    """Return why a run has no results; empty where it has."""
    is_done = execution.outcome is Outcome.DONE
    if is_done and execution.find_finding("out-of-bounds") is None:
        return ""
    if execution.outcome is Outcome.TIMEOUT:
        return "timeout"

    return execution.findings[0].kind if execution.findings else str(execution.outcome)


def _list_written_buffers(draft: CaseDraft) -> list[int]:
    return [
        number
        for number, access in enumerate(draft.result.execution.accesses)
        if BufferRole(access.role).is_written
    ]


def _measure_spread(source: str, draft: CaseDraft, variant_runs: Variants) -> _Spread:
    golden = variant_runs.golden
    order = _measure_deviations(draft, golden, variant_runs.other_orders)
    contracted = variant_runs.contracted

    if contracted and not _explain_failure(contracted):
        rounding = _measure_deviations(draft, golden, [contracted])
    else:
        rounding = _measure_deviations(draft, golden, [])

    is_exact = not MATH_FUNCTION.search(source) and all(
        deviation.is_zero for deviation in (*order, *rounding)
    )
    total = [
        by_order.combine_with(by_rounding)
        for by_order, by_rounding in zip(order, rounding, strict=True)
    ]
    precise = variant_runs.double_precision

    if not is_exact and precise is not None:
        total = [
            deviation.combine_with(
                _measure_rounding_loss(draft, number, golden, precise)
            )
            for number, deviation in enumerate(total)
        ]

    return _Spread(order=order, total=total, is_exact=is_exact)


def _measure_deviations(
    draft: CaseDraft, golden: Execution, executions: Sequence[Execution]
) -> list[Deviation]:
    """Return of each buffer how far runs lie from the golden one."""
    elements = draft.result.trial.memory.elements
    deviations = [Deviation()] * len(elements)

    for number in _list_written_buffers(draft):
        for execution in executions:
            if not execution.buffers:
                continue

            deviation = measure_deviation(
                elements[number].scalar,
                golden.buffers[number],
                execution.buffers[number],
            )
            deviations[number] = deviations[number].combine_with(deviation)

    return deviations


def _measure_rounding_loss(
    draft: CaseDraft, number: int, golden: Execution, precise: Execution
) -> Deviation:
    """Return what a result loses by rounding; where rounding decided otherwise, it tells
    nothing of the others.
    """
    role = BufferRole(draft.result.execution.accesses[number].role)
    if not role.is_written or not precise.buffers:
        return Deviation()

    return measure_close_deviation(
        draft.result.trial.memory.elements[number].scalar,
        golden.buffers[number],
        precise.buffers[number],
        _MAX_NOISE,
    )


def _classify_behaviour(
    draft: CaseDraft, order: Sequence[Deviation]
) -> tuple[Behaviour, str]:
    """Return how a kernel behaves whose results differ so much between orders, and why."""
    deviations = [order[number] for number in _list_written_buffers(draft)]
    if all(deviation.is_zero for deviation in deviations):
        return Behaviour.DETERMINISTIC, ""

    # without atomics only a race can make the order of threads matter
    has_atomics = any(access.is_atomic for access in draft.result.execution.accesses)
    if OVERWRITE in draft.result.problems or not has_atomics:
        return Behaviour.RACY, "race"

    noisy = [deviation.relative <= _MAX_NOISE for deviation in deviations]
    if all(noisy):
        return Behaviour.ATOMIC_NONDETERMINISTIC, ""
    if any(noisy):
        return Behaviour.ATOMIC_NONDETERMINISTIC, "order-dependent-buffer"

    return Behaviour.RACY, ORDER_DEPENDENT


def _depends_on_warp_size(draft: CaseDraft, variant_runs: Variants) -> bool:
    wide_warps = variant_runs.wide_warps
    if not wide_warps or _explain_failure(wide_warps):
        return False

    deviations = _measure_deviations(draft, variant_runs.golden, [wide_warps])

    return any(
        math.isinf(deviation.relative) or deviation.relative > _MAX_NOISE
        for deviation in deviations
    )


def _add_gold(
    buffer: CaseBuffer,
    number: int,
    draft: CaseDraft,
    variant_runs: Variants,
    spread: _Spread,
    blobs: Blobs,
) -> CaseBuffer:
    """Return a buffer with its golden content and its tolerance, where it has one."""
    deviation = spread.total[number]
    if not buffer.role.is_written or deviation.relative > _MAX_NOISE:
        return buffer

    begin, end = draft.result.execution.accesses[number].written_range
    gold = variant_runs.golden.buffers[number]
    absolute = 0.0
    relative = 0.0
    if not spread.is_exact:
        scalar = draft.result.trial.memory.elements[number].scalar
        absolute, relative = derive_tolerance(scalar, gold, deviation)

    return replace(
        buffer,
        gold=blobs.put(gold),
        gold_filled=_store_filled_gold(buffer, number, variant_runs, blobs),
        written=(max(0, begin), min(buffer.size, end)),
        absolute=absolute,
        relative=relative,
    )


def _store_filled_gold(
    buffer: CaseBuffer, number: int, variant_runs: Variants, blobs: Blobs
) -> str:
    """Return the digest of what a mere output holds that held something else before; empty
    where that is its gold.
    """
    filled = variant_runs.other_fill
    if filled is None or buffer.content or _explain_failure(filled):
        return ""

    content = filled.buffers[number]
    if content == variant_runs.golden.buffers[number]:
        return ""

    return blobs.put(content)


def _is_trivial(draft: CaseDraft, variant_runs: Variants) -> bool:
    """Tell whether the outputs of a case say nothing: none, constant, or the same whatever the
    inputs are.
    """
    trial = draft.result.trial
    execution = replace(draft.result.execution, buffers=variant_runs.golden.buffers)
    if has_informative_output(trial, execution, variant_runs.other_inputs):
        return False
    if not draft.result.is_informative:
        return True

    # inputs are known to matter: then it is enough that more than one value is written
    return all(
        writes_single_value(trial, execution, number)
        for number in _list_written_buffers(draft)
    )
