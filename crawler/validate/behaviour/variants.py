"""Run a case in other thread orders, warp sizes and roundings, and with other inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import KernelUnit
from crawler.validate.behaviour.double_precision import run_in_double_precision
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import Buffer, KernelLaunch, ThreadOrder
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.emulator.source.architecture import choose_architecture
from crawler.validate.inputs.arguments.argument_layout import ArgumentLayout
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.trials.informative_output import vary_inputs
from crawler.validate.inputs.trials.trial import Trial

MAX_RUN_SECONDS: Final = 10.0
_RANDOM_ORDER_SEED: Final = 5
DEFAULT_FILL: Final = 0xFF
"""What mere outputs hold before a launch: NaN for most types."""
OTHER_FILL: Final = 0x5A
# Words anywhere in a unit are enough here: a variant that was run in vain costs time alone
_WARP_OPERATION: Final = re.compile(
    r"_sync\b|\b__shfl|\b__ballot|\b__any\b|\b__all\b|__activemask|warpSize|WARP"
    r"|cooperative_groups|cub::|lane|__match_"
)
MATH_FUNCTION: Final = re.compile(
    r"\b(?:exp|log|sin|cos|tan|pow|sqrt|rsqrt|erf|tanh|fdividef|powf|norm|sigmoid|gelu|cbrt|atan|asin|acos|round)\w*\s*\("
    r"|\b(?:rand|normal)_\w+\("
)
"""Functions that devices round otherwise than a CPU."""
_WIDE_WARP_SIZE: Final = 64
# as above: what is run without need costs time
_REAL_NUMBER: Final = re.compile(
    r"float|double|half|bfloat|scalar_t|[Cc]omplex|\bT\b|\d\.\d*f?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """What came of one case."""

    golden: Execution
    other_orders: tuple[Execution, ...] = ()
    """In reverse and in random order."""
    wide_warps: Execution | None = None
    """With warps of 64 lanes; `None` where no lane sees another, or they have as many anyhow."""
    contracted: Execution | None = None
    """With multiplication and addition rounded once; `None` where nothing is real."""
    double_precision: Execution | None = None
    """In double precision, rounded to what it has; `None` where the kernel is no template of
    its scalar type.
    """
    other_inputs: tuple[Execution, ...] = ()
    """With other data, and with other data and indices."""
    other_fill: Execution | None = None
    """With 0x5A in its mere outputs; `None` where no byte of them tells that from what they
    hold else.
    """


def run_variants(
    unit: KernelUnit,
    program: Program,
    layout: ArgumentLayout,
    drafts: Sequence[CaseDraft],
    entry: int,
    output_buffers: Sequence[Sequence[int]],
    parameter_names: Sequence[str] = (),
) -> tuple[Variants, ...]:
    """Run every case in each way that may tell something, with `program` for the results.

    `output_buffers` are the buffers whose content is no input.
    """
    trials = [draft.result.trial for draft in drafts]
    launches = [
        build_variant_launch(trial, layout, outputs)
        for trial, outputs in zip(trials, output_buffers, strict=True)
    ]
    (first,) = run_launches(program, launches[:1])
    if first.outcome in (Outcome.TIMEOUT, Outcome.KILLED):
        # it ended while it was traced, and now it does not: each further run would take as long
        return (Variants(golden=first),) * len(drafts)

    reordered = _reorder(launches)
    changed = _change_inputs(drafts, layout, output_buffers)
    further = run_launches(program, [*launches[1:], *reordered, *changed])
    executions = (first, *further)
    count = len(drafts)
    golden = executions[:count]
    refilled = _run_with_other_fill(program, launches, output_buffers, golden)
    wide_warps = _run_with_wide_warps(unit, launches, entry)
    contracted = _run_contracted(unit, launches, entry)

    # where nothing rounds, double precision would tell the same and cost a compilation
    double_precision: tuple[Execution | None, ...] = ()

    if MATH_FUNCTION.search(unit.source) or _differ(golden, contracted):
        cases = list(zip(trials, launches, strict=True))
        double_precision = run_in_double_precision(
            unit, layout, entry, parameter_names, cases
        )

    variants: list[Variants] = []

    for number in range(count):
        by_way = executions[number::count]
        variants.append(
            Variants(
                golden=by_way[0],
                other_orders=(by_way[1], by_way[2]),
                wide_warps=wide_warps[number] if wide_warps else None,
                contracted=contracted[number] if contracted else None,
                double_precision=double_precision[number] if double_precision else None,
                other_inputs=(by_way[3], by_way[4]),
                other_fill=refilled.get(number),
            )
        )

    return tuple(variants)


def _reorder(launches: Sequence[KernelLaunch]) -> list[KernelLaunch]:
    """Return launches in reverse order of their threads, then in a random one."""
    return [
        replace(launch, order=order, seed=_RANDOM_ORDER_SEED)
        for order in (ThreadOrder.REVERSE, ThreadOrder.RANDOM)
        for launch in launches
    ]


def _change_inputs(
    drafts: Sequence[CaseDraft],
    layout: ArgumentLayout,
    output_buffers: Sequence[Sequence[int]],
) -> list[KernelLaunch]:
    """Return launches of cases with other data, then with other data and indices."""
    pairs = [
        vary_inputs(draft.result.trial, draft.result.execution) for draft in drafts
    ]
    return [
        build_variant_launch(pair[way], layout, outputs)
        for way in (0, 1)
        for pair, outputs in zip(pairs, output_buffers, strict=True)
    ]


def _run_with_wide_warps(
    unit: KernelUnit, launches: Sequence[KernelLaunch], entry: int
) -> tuple[Execution, ...] | None:
    """Run launches with warps of 64 lanes; `None` where that tells nothing."""
    if choose_architecture(unit).warp_size >= _WIDE_WARP_SIZE:
        return None
    if not _WARP_OPERATION.search(unit.source):
        return None

    options = BuildOptions(warp_size=_WIDE_WARP_SIZE, fast_build=True)

    return _run_otherwise_built(unit, options, launches, entry)


def _run_contracted(
    unit: KernelUnit, launches: Sequence[KernelLaunch], entry: int
) -> tuple[Execution, ...] | None:
    """Run launches with fused multiplication and addition; `None` where nothing is real."""
    if not _REAL_NUMBER.search(unit.source):
        return None

    options = BuildOptions(contract_fma=True, fast_build=True)

    return _run_otherwise_built(unit, options, launches, entry)


def _run_otherwise_built(
    unit: KernelUnit,
    options: BuildOptions,
    launches: Sequence[KernelLaunch],
    entry: int,
) -> tuple[Execution, ...] | None:
    program = build_cpu_program(unit, options, entry=entry, describe=False)
    return run_launches(program, launches) if program.executable else None


def _run_with_other_fill(
    program: Program,
    launches: Sequence[KernelLaunch],
    output_buffers: Sequence[Sequence[int]],
    golden: Sequence[Execution],
) -> dict[int, Execution]:
    """Run those cases again whose mere outputs hold a byte as it was before, which the kernel
    may have written, too.
    """
    numbers = [
        number
        for number, execution in enumerate(golden)
        if _holds_fill(execution, output_buffers[number])
    ]

    if not numbers:
        return {}

    refilled = [_refill(launches[number], output_buffers[number]) for number in numbers]
    executions = run_launches(program, refilled)

    return dict(zip(numbers, executions, strict=True))


def _holds_fill(execution: Execution, output_buffers: Sequence[int]) -> bool:
    for number in output_buffers:
        # a run that has failed leaves no buffers
        if number >= len(execution.buffers):
            continue
        if DEFAULT_FILL in execution.buffers[number]:
            return True

    return False


def _refill(launch: KernelLaunch, output_buffers: Sequence[int]) -> KernelLaunch:
    buffers = list(launch.buffers)
    for number, buffer in enumerate(launch.buffers):
        if number in output_buffers:
            content = bytes([OTHER_FILL]) * buffer.size
            buffers[number] = replace(buffer, content=content)

    return replace(launch, buffers=tuple(buffers))


def _differ(
    golden: Sequence[Execution], contracted: Sequence[Execution] | None
) -> bool:
    """Tell whether fused operations give other results."""
    if not contracted:
        return False

    return any(
        first.buffers != second.buffers
        for first, second in zip(golden, contracted, strict=True)
    )


def build_variant_launch(
    trial: Trial, layout: ArgumentLayout, output_buffers: Sequence[int]
) -> KernelLaunch:
    """Return a trial as a launch whose mere outputs hold 0xFF before."""
    launch = trial.build_launch(layout, max_seconds=MAX_RUN_SECONDS)
    buffers = list(launch.buffers)

    for number, buffer in enumerate(launch.buffers):
        if number in output_buffers:
            buffers[number] = Buffer(size=buffer.size)

    return replace(launch, buffers=tuple(buffers))
