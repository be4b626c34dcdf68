"""Branch coverage of a kernel and its device functions by the cases of its suite."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.model import KernelUnit, Status, Suite
from crawler.validate.blobs import Blobs
from crawler.validate.simt.cases import launch_of
from crawler.validate.simt.program import Mode, Program, build_cpu
from crawler.validate.simt.run import execute
from crawler.validate.strength.regions import branches, taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The ways that conditions may go, and those that some case went; -1 where it was not measured."""

    branches: int = -1
    reached: int = -1
    unreached: tuple[int, ...] = ()
    """Lines of the unit with a way that no case went, in order."""


def coverage(unit: KernelUnit, suite: Suite, blobs: Blobs, *, seconds: float = 10.0) -> Coverage:
    """Run every case of `suite` on a program that counts; hidden cases count like others."""
    program = build_cpu(unit, Mode(cover=True))
    if program.verdict.status is not Status.PASS:
        return Coverage()
    return covered(program, suite, blobs, seconds=seconds)


def covered(program: Program, suite: Suite, blobs: Blobs, *, seconds: float = 10.0) -> Coverage:
    """Run every case of `suite` on `program`, which counts, and return which branches were taken."""
    ways = branches(program.regions)
    launches = [launch_of(case, blobs, seconds=seconds) for case in suite.cases]
    gone, held = set(), set()
    for execution in execute(program, launches):
        held |= {name for name, _ in execution.counts}
        gone |= {branch.key for branch in taken(ways, execution.counts)}
    everything = {branch.key: branch.line for name in held for branch in ways.get(name, ())}
    missed = sorted({line for key, line in everything.items() if key not in gone})
    return Coverage(branches=len(everything), reached=len(everything.keys() & gone), unreached=tuple(missed))
