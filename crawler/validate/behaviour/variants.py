"""A case run in other orders, widths and roundings, and with other inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import KernelUnit
from crawler.validate.behaviour.precise import precise
from crawler.validate.inputs.cases import Draft
from crawler.validate.inputs.slots import Layout
from crawler.validate.inputs.trials import Trial, with_other_inputs
from crawler.validate.simt.architecture import architecture_of
from crawler.validate.simt.execution import Execution, Outcome
from crawler.validate.simt.launch import Buffer, Launch, Order
from crawler.validate.simt.program import Mode, Program, build_cpu
from crawler.validate.simt.run import execute

RUN_SECONDS: Final = 10.0
PLAIN_FILL: Final = 0xFF
"""What mere outputs hold before a launch: NaN for most types."""
OTHER_FILL: Final = 0x5A
_WARPS: Final = re.compile(
    r"_sync\b|\b__shfl|\b__ballot|\b__any\b|\b__all\b|__activemask|warpSize|WARP|cooperative_groups|cub::|lane|__match_"
)
MATHS: Final = re.compile(
    r"\b(?:exp|log|sin|cos|tan|pow|sqrt|rsqrt|erf|tanh|fdividef|powf|norm|sigmoid|gelu|cbrt|atan|asin|acos|round)\w*\s*\("
    r"|\b(?:rand|normal)_\w+\("
)
"""Functions that devices round otherwise than a CPU."""
_WIDE: Final = 64
_REAL: Final = re.compile(r"float|double|half|bfloat|scalar_t|[Cc]omplex|\bT\b|\d\.\d*f?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """What came of one case."""

    gold: Execution
    orders: tuple[Execution, ...] = ()
    """In reverse and in random order."""
    wide: Execution | None = None
    """With warps of 64 lanes; `None` where no lane sees another, or they have as many anyhow."""
    contracted: Execution | None = None
    """With multiplication and addition rounded once; `None` where nothing is real."""
    precise: Execution | None = None
    """In double precision, rounded to what it has; `None` where the kernel is no template of its scalar type."""
    other_inputs: tuple[Execution, ...] = ()
    """With other data, and with other data and indices."""
    filled: Execution | None = None
    """With 0x5A in its mere outputs; `None` where no byte of them tells that from what they hold else."""


def variants(
    unit: KernelUnit,
    program: Program,
    layout: Layout,
    made: Sequence[Draft],
    entry: int,
    quiet: Sequence[Sequence[int]],
    names: Sequence[str] = (),
) -> tuple[Variants, ...]:
    """Run every case in each way that may tell something, with `program` for the results.

    `quiet` are the buffers whose content is no input.
    """
    trials = [each.found.trial for each in made]
    plain = [launch(trial, layout, silent) for trial, silent in zip(trials, quiet, strict=True)]
    (first,) = execute(program, plain[:1])
    if first.outcome in (Outcome.TIMEOUT, Outcome.KILLED):
        # it ended while it was traced, and now it does not: each further run would take as long
        return (Variants(gold=first),) * len(made)
    orders = [replace(each, order=order, seed=5) for order in (Order.REVERSE, Order.RANDOM) for each in plain]
    changed = [with_other_inputs(each.found.trial, each.found.execution) for each in made]
    others = [
        launch(pair[which], layout, silent) for which in (0, 1) for pair, silent in zip(changed, quiet, strict=True)
    ]
    done = execute(program, [*plain, *orders, *others])
    count = len(made)
    filled = _filled(program, plain, quiet, done[:count])
    narrow = architecture_of(unit).lanes < _WIDE and _WARPS.search(unit.source)
    wide = _elsewhere(unit, Mode(lanes=_WIDE, quick=True), plain, entry) if narrow else None
    contracted = _elsewhere(unit, Mode(contract=True, quick=True), plain, entry) if _REAL.search(unit.source) else None
    rounds = MATHS.search(unit.source) or (contracted and _differ(done[:count], contracted))
    double = precise(unit, layout, entry, names, list(zip(trials, plain, strict=True))) if rounds else ()
    return tuple(
        Variants(
            gold=done[at],
            orders=(done[count + at], done[2 * count + at]),
            wide=wide[at] if wide else None,
            contracted=contracted[at] if contracted else None,
            precise=double[at] if double else None,
            other_inputs=(done[3 * count + at], done[4 * count + at]),
            filled=filled.get(at),
        )
        for at in range(count)
    )


def _filled(
    program: Program, launches: Sequence[Launch], quiet: Sequence[Sequence[int]], done: Sequence[Execution]
) -> dict[int, Execution]:
    """Run those cases again whose mere outputs hold a byte as it was before, which the kernel may have written, too."""
    told = [
        at
        for at, each in enumerate(done)
        if any(PLAIN_FILL in each.buffers[number] for number in quiet[at] if number < len(each.buffers))
    ]
    again = [_with_fill(launches[at], quiet[at]) for at in told]
    return dict(zip(told, execute(program, again), strict=True)) if again else {}


def _with_fill(made: Launch, silent: Sequence[int]) -> Launch:
    buffers = (
        replace(each, content=bytes([OTHER_FILL]) * each.size) if at in silent else each
        for at, each in enumerate(made.buffers)
    )
    return replace(made, buffers=tuple(buffers))


def _differ(some: Sequence[Execution], others: Sequence[Execution]) -> bool:
    return any(one.buffers != other.buffers for one, other in zip(some, others, strict=True))


def launch(trial: Trial, layout: Layout, silent: Sequence[int]) -> Launch:
    """Return a trial as a launch whose mere outputs hold 0xFF before."""
    made = trial.launch(layout, seconds=RUN_SECONDS)
    buffers = tuple(Buffer(size=each.size) if at in silent else each for at, each in enumerate(made.buffers))
    return replace(made, buffers=buffers)


def _elsewhere(unit: KernelUnit, mode: Mode, launches: Sequence[Launch], entry: int) -> tuple[Execution, ...] | None:
    program = build_cpu(unit, mode, only=entry, described=False)
    return execute(program, launches) if program.executable else None
