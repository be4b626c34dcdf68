"""Run a case in other thread orders, warp sizes and roundings, and with other inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import KernelUnit
from crawler.validate.behaviour.double_precision import run_in_double_precision
from crawler.validate.emulator.execution import Execution, Outcome
from crawler.validate.emulator.launch import Buffer, KernelLaunch, ThreadOrder
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.emulator.source.architecture import choose_architecture
from crawler.validate.inputs.arguments.argument_layout import ArgumentLayout
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.trials.informative_output import vary_inputs
from crawler.validate.inputs.trials.trial import Trial

MAX_RUN_SECONDS: Final = 10.0
DEFAULT_FILL: Final = 0xFF
"""What mere outputs hold before a launch: NaN for most types."""
OTHER_FILL: Final = 0x5A
_WARPS: Final = re.compile(
    r"_sync\b|\b__shfl|\b__ballot|\b__any\b|\b__all\b|__activemask|warpSize|WARP|cooperative_groups|cub::|lane|__match_"
)
MATH_FUNCTION: Final = re.compile(
    r"\b(?:exp|log|sin|cos|tan|pow|sqrt|rsqrt|erf|tanh|fdividef|powf|norm|sigmoid|gelu|cbrt|atan|asin|acos|round)\w*\s*\("
    r"|\b(?:rand|normal)_\w+\("
)
"""Functions that devices round otherwise than a CPU."""
_WIDE: Final = 64
_REAL: Final = re.compile(
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
    trials = [each.result.trial for each in drafts]
    plain = [
        build_variant_launch(trial, layout, silent)
        for trial, silent in zip(trials, output_buffers, strict=True)
    ]
    (first,) = run_launches(program, plain[:1])
    if first.outcome in (Outcome.TIMEOUT, Outcome.KILLED):
        # it ended while it was traced, and now it does not: each further run would take as long
        return (Variants(golden=first),) * len(drafts)
    orders = [
        replace(each, order=order, seed=5)
        for order in (ThreadOrder.REVERSE, ThreadOrder.RANDOM)
        for each in plain
    ]
    changed = [vary_inputs(each.result.trial, each.result.execution) for each in drafts]
    others = [
        build_variant_launch(pair[which], layout, silent)
        for which in (0, 1)
        for pair, silent in zip(changed, output_buffers, strict=True)
    ]
    done = run_launches(program, [*plain, *orders, *others])
    count = len(drafts)
    filled = _filled(program, plain, output_buffers, done[:count])
    narrow = choose_architecture(unit).warp_size < _WIDE and _WARPS.search(unit.source)
    wide = (
        _elsewhere(unit, BuildOptions(warp_size=_WIDE, fast_build=True), plain, entry)
        if narrow
        else None
    )
    contracted = (
        _elsewhere(unit, BuildOptions(contract_fma=True, fast_build=True), plain, entry)
        if _REAL.search(unit.source)
        else None
    )
    rounds = MATH_FUNCTION.search(unit.source) or (
        contracted and _differ(done[:count], contracted)
    )
    double = (
        run_in_double_precision(
            unit, layout, entry, parameter_names, list(zip(trials, plain, strict=True))
        )
        if rounds
        else ()
    )
    return tuple(
        Variants(
            golden=done[at],
            other_orders=(done[count + at], done[2 * count + at]),
            wide_warps=wide[at] if wide else None,
            contracted=contracted[at] if contracted else None,
            double_precision=double[at] if double else None,
            other_inputs=(done[3 * count + at], done[4 * count + at]),
            other_fill=filled.get(at),
        )
        for at in range(count)
    )


def _filled(
    program: Program,
    launches: Sequence[KernelLaunch],
    quiet: Sequence[Sequence[int]],
    done: Sequence[Execution],
) -> dict[int, Execution]:
    """Run those cases again whose mere outputs hold a byte as it was before, which the kernel
    may have written, too.
    """
    told = [
        at
        for at, each in enumerate(done)
        if any(
            DEFAULT_FILL in each.buffers[number]
            for number in quiet[at]
            if number < len(each.buffers)
        )
    ]
    again = [_with_fill(launches[at], quiet[at]) for at in told]
    return dict(zip(told, run_launches(program, again), strict=True)) if again else {}


def _with_fill(made: KernelLaunch, silent: Sequence[int]) -> KernelLaunch:
    buffers = (
        replace(each, content=bytes([OTHER_FILL]) * each.size) if at in silent else each
        for at, each in enumerate(made.buffers)
    )
    return replace(made, buffers=tuple(buffers))


def _differ(some: Sequence[Execution], others: Sequence[Execution]) -> bool:
    return any(
        one.buffers != other.buffers for one, other in zip(some, others, strict=True)
    )


def build_variant_launch(
    trial: Trial, layout: ArgumentLayout, output_buffers: Sequence[int]
) -> KernelLaunch:
    """Return a trial as a launch whose mere outputs hold 0xFF before."""
    made = trial.build_launch(layout, max_seconds=MAX_RUN_SECONDS)
    buffers = tuple(
        Buffer(size=each.size) if at in output_buffers else each
        for at, each in enumerate(made.buffers)
    )
    return replace(made, buffers=buffers)


def _elsewhere(
    unit: KernelUnit, mode: BuildOptions, launches: Sequence[KernelLaunch], entry: int
) -> tuple[Execution, ...] | None:
    program = build_cpu_program(unit, mode, entry=entry, describe=False)
    return run_launches(program, launches) if program.executable else None
