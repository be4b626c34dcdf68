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
from crawler.validate.values.blobs import Blobs

MAX_MUTANTS: Final = 80
"""Mutants that are tried of one unit, drawn by its digest."""
_IN_VAIN: Final = 3
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
        self._unit, self._only = unit, entry
        self._counting = build_cpu_program(
            unit, BuildOptions(count_branches=True), entry=entry
        )
        self._mutants = build_mutants(
            unit, find_changes(unit.source), max_mutants=max_mutants, entry=entry
        )
        self._coverage: BranchCoverage | None = None
        self._killed, self._alive = (
            set[int](),
            set(self._mutants.changes if self._mutants else ()),
        )
        self._measured = False

    def add_cases(self, cases: Sequence[Case], seconds: float = 30.0) -> int:
        """Run `cases` for about `seconds`; return how many branches and mutants they tell that
        none has before.
        """
        return self._take(cases, seconds) + self._kill(cases, seconds)

    @property
    def survivors(self) -> tuple[Change, ...]:
        """The mutants that no case has told from the kernel, in order."""
        return (
            tuple(self._mutants.changes[number] for number in sorted(self._alive))
            if self._mutants
            else ()
        )

    def discard_equivalent(self) -> None:
        """Leave out those mutants that no case has told and that a compiler shows to be the
        kernel itself.
        """
        if self._mutants and self._measured:
            alive = {number: self._mutants.changes[number] for number in self._alive}
            self._alive -= find_equivalent_mutants(self._unit, alive, self._only)

    @property
    def strength(self) -> Strength:
        """What the cases so far can tell."""
        found = Strength()
        if self._coverage is not None:
            unreached, reached = (
                self._coverage.unreached,
                len(self._coverage.reached & self._coverage.branch_lines.keys()),
            )
            found = replace(
                found,
                branches=len(self._coverage.branch_lines),
                branches_reached=reached,
                unreached=unreached,
            )
        if self._measured:
            found = replace(
                found,
                mutants=len(self._killed) + len(self._alive),
                killed=len(self._killed),
            )
        return found

    @property
    def is_complete(self) -> bool:
        """Tell whether no case can tell more."""
        return not self._alive and (
            self._coverage is None or not self._coverage.unreached
        )

    def _take(self, cases: Sequence[Case], seconds: float) -> int:
        more = measure_coverage(
            self._counting, cases, self._blobs, seconds=min(10.0, seconds)
        )
        if more is None:
            return 0
        before = len(self._coverage.reached) if self._coverage else 0
        self._coverage = self._coverage.merged_with(more) if self._coverage else more
        return len(self._coverage.reached) - before

    def _kill(self, cases: Sequence[Case], seconds: float) -> int:
        if self._mutants is None:
            return 0
        score = score_mutants(
            self._mutants,
            cases,
            self._blobs,
            mutant_numbers=self._alive,
            seconds=seconds,
        )
        if score is None:
            return 0
        self._measured = True
        self._alive -= score.killed
        self._killed |= score.killed
        return len(score.killed)


def measure_strength(
    unit: KernelUnit, suite: Suite, blobs: Blobs, *, seconds: float = 30.0
) -> Strength:
    """Measure what the cases of `suite`, hidden ones too, can tell of `unit`; mutants run for
    about `seconds`.
    """
    bench = StrengthMeter(unit, blobs, entry=_only(suite))
    bench.add_cases(suite.cases, seconds)
    bench.discard_equivalent()
    return bench.strength


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
    until = time.monotonic() + seconds
    bench = StrengthMeter(unit, blobs, entry=_only(suite))
    bench.add_cases(suite.cases, seconds)
    kept, in_vain = list(suite.cases), 0
    for case in () if bench.is_complete else candidates:
        left = until - time.monotonic()
        if left <= 0:
            break
        if bench.add_cases((case,), left):
            kept.append(case)
            in_vain = 0
        else:
            in_vain += 1
        if bench.is_complete or in_vain == _IN_VAIN:
            break
    bench.discard_equivalent()
    return replace(suite, cases=tuple(kept)), bench.strength


def _only(suite: Suite) -> int | None:
    """Return the one instantiation that all cases run, so that no other is compiled."""
    entries = {case.entry for case in suite.cases}
    return entries.pop() if len(entries) == 1 else None
