"""Measure the strength of a suite case by case, and extend it while new cases add to it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Case, KernelUnit, Strength, Suite
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.strength.branch_coverage import BranchCoverage, measure_coverage
from crawler.validate.strength.equivalent_mutants import find_equivalent_mutants
from crawler.validate.strength.mutant_schemata import build_mutants
from crawler.validate.strength.mutation_score import score_mutants
from crawler.validate.strength.mutation_sites import Change, find_changes
from crawler.validate.strength.survivors import describe_survivors
from crawler.validate.values.blobs import Blobs

MAX_MUTANTS: Final = 80
"""Mutants that are tried of one unit, drawn by its digest."""
_MAX_COVERAGE_SECONDS: Final = 10.0
_MAX_USELESS_CASES: Final = 3
"""Cases in a row that tell nothing more, after which no other is asked for."""


class StrengthMeter:
    """The programs of one unit that count branches and make mutants, and what cases have told
    by them.
    """

    def __init__(
        self,
        unit: KernelUnit,
        blobs: Blobs,
        *,
        entry: int | None = None,
        max_mutants: int = MAX_MUTANTS,
    ) -> None:
        self._blobs = blobs
        self._unit = unit
        self._entry = entry
        self.counting_program = build_cpu_program(
            unit, BuildOptions(count_branches=True), entry=entry
        )
        self.mutants = build_mutants(
            unit, find_changes(unit.source), max_mutants=max_mutants, entry=entry
        )
        self._coverage: BranchCoverage | None = None
        self._killed: set[int] = set()
        self._alive: set[int] = set(self.mutants.changes if self.mutants else ())
        self._has_score = False

    def add_cases(self, cases: Sequence[Case], seconds: float = 30.0) -> int:
        """Run `cases` for about `seconds`; return how many branches and mutants they tell that
        none has before.
        """
        branch_count = self._add_coverage(cases, seconds)
        return branch_count + self._kill_mutants(cases, seconds)

    @property
    def survivors(self) -> tuple[Change, ...]:
        """The mutants that no case has told from the kernel, in order."""
        if self.mutants is None:
            return ()
        return tuple(self.mutants.changes[number] for number in sorted(self._alive))

    def discard_equivalent(self) -> None:
        """Leave out those mutants that no case has told and that a compiler shows to be the
        kernel itself.
        """
        if self.mutants and self._has_score:
            changes = {number: self.mutants.changes[number] for number in self._alive}
            self._alive -= find_equivalent_mutants(self._unit, changes, self._entry)

    @property
    def strength(self) -> Strength:
        """What the cases so far can tell."""
        strength = Strength()
        coverage = self._coverage

        if coverage is not None:
            reached = coverage.reached & coverage.branch_lines.keys()
            strength = replace(
                strength,
                branches=len(coverage.branch_lines),
                branches_reached=len(reached),
                unreached=coverage.unreached_lines,
                taken_lines=coverage.taken_lines,
                missed_lines=coverage.missed_lines,
            )

        if self._has_score:
            strength = replace(
                strength,
                mutants=len(self._killed) + len(self._alive),
                killed=len(self._killed),
                survivors=describe_survivors(self._unit.source, self.survivors),
            )

        return strength

    @property
    def is_complete(self) -> bool:
        """Tell whether no case can tell more."""
        if self._alive:
            return False
        return self._coverage is None or not self._coverage.unreached_lines

    def _add_coverage(self, cases: Sequence[Case], seconds: float) -> int:
        coverage = measure_coverage(
            self.counting_program,
            cases,
            self._blobs,
            seconds=min(_MAX_COVERAGE_SECONDS, seconds),
        )

        if coverage is None:
            return 0

        if self._coverage is None:
            self._coverage = coverage
            return len(coverage.reached)

        reached_before = len(self._coverage.reached)
        self._coverage = self._coverage.merged_with(coverage)

        return len(self._coverage.reached) - reached_before

    def _kill_mutants(self, cases: Sequence[Case], seconds: float) -> int:
        if self.mutants is None:
            return 0

        score = score_mutants(
            self.mutants,
            cases,
            self._blobs,
            mutant_numbers=self._alive,
            seconds=seconds,
        )

        if score is None:
            return 0

        self._has_score = True
        self._alive -= score.killed
        self._killed |= score.killed

        return len(score.killed)


def measure_strength(
    unit: KernelUnit, suite: Suite, blobs: Blobs, *, seconds: float = 30.0
) -> Strength:
    """Measure what the cases of `suite`, hidden ones too, can tell of `unit`; mutants run for
    about `seconds`.
    """
    meter = StrengthMeter(unit, blobs, entry=_find_single_entry(suite))
    meter.add_cases(suite.cases, seconds)
    meter.discard_equivalent()
    return meter.strength


def strengthen_suite(
    unit: KernelUnit,
    suite: Suite,
    blobs: Blobs,
    candidates: Iterable[Case],
    *,
    seconds: float = 30.0,
) -> tuple[Suite, Strength]:
    """Add those cases of `candidates` that tell more than all before, until some in a row do
    not, or `seconds` are over.

    `candidates` is asked for one case at a time; each has its golden outputs, and its bytes are
    in `blobs`.
    """
    deadline = time.monotonic() + seconds
    meter = StrengthMeter(unit, blobs, entry=_find_single_entry(suite))
    meter.add_cases(suite.cases, seconds)
    cases = list(suite.cases)
    useless_cases = 0

    # candidates may be drawn as they are asked for, which costs runs
    for case in () if meter.is_complete else candidates:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            break

        if meter.add_cases((case,), remaining):
            cases.append(case)
            useless_cases = 0
        else:
            useless_cases += 1

        if meter.is_complete or useless_cases == _MAX_USELESS_CASES:
            break

    meter.discard_equivalent()

    return replace(suite, cases=tuple(cases)), meter.strength


def _find_single_entry(suite: Suite) -> int | None:
    """Return the one instantiation that all cases run, so that no other is compiled."""
    entries = {case.entry for case in suite.cases}
    return entries.pop() if len(entries) == 1 else None
