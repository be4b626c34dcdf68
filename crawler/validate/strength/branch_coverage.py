"""Coverage of a kernel and its device functions by cases: branches, and lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from crawler.model import Case, Status
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.program import Program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.strength.coverage_mapping import (
    BranchKey,
    find_taken_branches,
    parse_branches,
    parse_line_regions,
)
from crawler.validate.strength.line_coverage import find_taken_lines
from crawler.validate.values.blobs import Blobs


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchCoverage:
    """The ways that conditions may go, and those that some case went."""

    branch_lines: Mapping[BranchKey, int]
    """Of the unit, by branch."""
    reached: frozenset[BranchKey]
    lines: Mapping[int, bool] = field(default_factory=dict)
    """Those of the unit with code of functions that ran, with whether some case ran them."""

    @property
    def taken_lines(self) -> tuple[int, ...]:
        """The lines of the unit that some case ran, in order."""
        return tuple(sorted(line for line, has_run in self.lines.items() if has_run))

    @property
    def missed_lines(self) -> tuple[int, ...]:
        """The lines of the same functions that no case ran, in order."""
        missed = (line for line, has_run in self.lines.items() if not has_run)
        return tuple(sorted(missed))

    @property
    def unreached_lines(self) -> tuple[int, ...]:
        """The lines of the unit with a way that no case went, in order."""
        lines = {
            line for key, line in self.branch_lines.items() if key not in self.reached
        }
        return tuple(sorted(lines))

    def merged_with(self, coverage: BranchCoverage) -> BranchCoverage:
        """Return what the cases of both reach."""
        return BranchCoverage(
            branch_lines={**self.branch_lines, **coverage.branch_lines},
            reached=self.reached | coverage.reached,
            lines=_merge_lines((*self.lines.items(), *coverage.lines.items())),
        )


def measure_coverage(
    program: Program, cases: Sequence[Case], blobs: Blobs, *, seconds: float = 10.0
) -> BranchCoverage | None:
    """Run `cases` on `program`, which counts, and return which branches and lines were taken;
    `None` where it does not run.
    """
    if program.verdict.status is not Status.PASS:
        return None

    branches = parse_branches(program.coverage_report)
    regions = parse_line_regions(program.coverage_report)
    launches = [build_case_launch(case, blobs, max_seconds=seconds) for case in cases]
    reached: set[BranchKey] = set()
    functions: set[int] = set()
    lines: dict[int, bool] = {}

    for execution in run_launches(program, launches):
        for function, _ in execution.counters:
            functions.add(function)

        for branch in find_taken_branches(branches, execution.counters):
            reached.add(branch.key)

        taken_lines = find_taken_lines(regions, execution.counters)
        lines = _merge_lines((*lines.items(), *taken_lines))

    if not functions:
        return None

    # only of functions that ran: others belong to instantiations that no case calls
    branch_lines: dict[BranchKey, int] = {}

    for function in functions:
        for branch in branches.get(function, ()):
            branch_lines[branch.key] = branch.line

    return BranchCoverage(
        branch_lines=branch_lines, reached=frozenset(reached), lines=lines
    )


def _merge_lines(lines: Iterable[tuple[int, bool]]) -> dict[int, bool]:
    """Return each line once; it ran where one of its like did."""
    merged: dict[int, bool] = {}
    for line, has_run in lines:
        merged[line] = has_run or merged.get(line, False)

    return merged
