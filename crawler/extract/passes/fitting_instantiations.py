"""Leave out what a kernel's unit does not compile with, where it does with other arguments.

An installed library may be older than its project: one type that it does not know would take the
unit from a kernel that is launched with ten others.
"""

from __future__ import annotations

from dataclasses import replace

from crawler.cpp import language_standard
from crawler.extract.ladder.climb import UnitLadder
from crawler.extract.templates.compile_check import select_compiling_instantiations
from crawler.model import CompileCommand, KernelFacts, Rung


def leave_out_broken_instantiations(
    kernel: KernelFacts, command: CompileCommand, ladder: UnitLadder
) -> KernelFacts:
    """Return a kernel of which no rung compiles with those of its instantiations that do compile
    in its minimal unit; as it was where none does, and where all do.
    """
    closure = kernel.closure
    candidates = [made for made in kernel.instantiations if made.arguments]
    if closure is None or len(candidates) < 2 or not ladder.may_try():
        return kernel
    # what compiles has no attempts, or another rung
    if not closure.attempts or closure.rung is not Rung.MINIMAL:
        return kernel

    fitting = select_compiling_instantiations(
        closure,
        kernel.dialect,
        kernel.qualified_name,
        candidates,
        language_standard.requested_standard(command.arguments),
    )
    if len(fitting) in (0, len(candidates)):
        return kernel

    note = f"instantiations: {len(candidates) - len(fitting)} of {len(candidates)} left out"
    return replace(
        kernel,
        instantiations=fitting,
        closure=replace(closure, attempts=(*closure.attempts, note)),
    )
