"""Branch coverage of a kernel and its device functions by the cases of its suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crawler.model import Case, Status
from crawler.validate.blobs import Blobs
from crawler.validate.simt.cases import launch_of
from crawler.validate.simt.program import Program
from crawler.validate.simt.run import execute
from crawler.validate.strength.regions import Key, branches, taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The ways that conditions may go, and those that some case went."""

    lines: Mapping[Key, int]
    """Of the unit, by branch."""
    reached: frozenset[Key]

    @property
    def unreached(self) -> tuple[int, ...]:
        """The lines of the unit with a way that no case went, in order."""
        return tuple(sorted({line for key, line in self.lines.items() if key not in self.reached}))

    def with_more(self, other: Coverage) -> Coverage:
        """Return what the cases of both reach."""
        return replace(self, lines={**self.lines, **other.lines}, reached=self.reached | other.reached)


def covered(program: Program, cases: Sequence[Case], blobs: Blobs, *, seconds: float = 10.0) -> Coverage | None:
    """Run `cases` on `program`, which counts, and return which branches were taken; `None` where it does not run."""
    if program.verdict.status is not Status.PASS:
        return None
    ways = branches(program.regions)
    launches = [launch_of(case, blobs, seconds=seconds) for case in cases]
    gone, held = set[Key](), set[int]()
    for execution in execute(program, launches):
        held |= {name for name, _ in execution.counts}
        gone |= {branch.key for branch in taken(ways, execution.counts)}
    lines = {branch.key: branch.line for name in held for branch in ways.get(name, ())}
    return Coverage(lines=lines, reached=frozenset(gone)) if held else None
