"""Find the known operator that a kernel is named after and whose results it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from crawler.validate.known_operators.agreement import (
    Comparison,
    compare,
    count_steps,
)
from crawler.validate.known_operators.assignment import Assignment
from crawler.validate.known_operators.assignment_choices import list_assignments
from crawler.validate.known_operators.case_arrays import CaseArrays
from crawler.validate.known_operators.known_operator import KnownOperator
from crawler.validate.known_operators.name_words import has_any_words, split_words
from crawler.validate.known_operators.operator_table import list_operators

_MIN_TELLING_CASES: Final = 2
_MAX_NUMBERS: Final = 40_000_000
"""That are looked at for one kernel, whatever is tried: some seconds."""
_TRIAL_NUMBERS: Final = 20_000
"""That a trial costs at least, however small the case is."""
_STEPS_OF_A_NUMBER: Final = 16
"""Of a product's loops, which take NumPy less than looking at a number of a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorAgreement:
    """How far a kernel gives what a known operator gives."""

    operator: KnownOperator
    agreeing_cases: tuple[str, ...]
    differing_cases: tuple[str, ...]


def list_named_operators(names: Sequence[str]) -> list[KnownOperator]:
    """Return the operators whose words stand in one of `names`, without the other words that
    would make it something else.
    """
    words_by_name = [split_words(name) for name in names]
    return [
        operator
        for operator in list_operators()
        if any(
            has_any_words(words, operator.words)
            and not has_any_words(words, operator.other_words)
            for words in words_by_name
        )
    ]


def find_operator(
    names: Sequence[str], cases: Sequence[CaseArrays]
) -> OperatorAgreement | None:
    """Return the first operator of these names that gives all cases and that none of its
    family could be taken for, else one that gives most of them; `None` where there is neither.
    """
    if not cases:
        return None

    with np.errstate(all="ignore"):
        search = _Search(cases)
        partial: OperatorAgreement | None = None
        for operator in list_named_operators(names):
            for agreement, assignment in search.list_agreements(operator):
                if agreement.differing_cases:
                    partial = partial or agreement
                elif not search.is_mistakable(operator, assignment):
                    return agreement

    return partial


class _Search:
    def __init__(self, cases: Sequence[CaseArrays]) -> None:
        # small ones tell soon that nothing agrees, the smallest of all tell nothing
        self._cases = sorted(cases, key=_rank_case)
        self._numbers_left = _MAX_NUMBERS

    def list_agreements(
        self, operator: KnownOperator
    ) -> Iterator[tuple[OperatorAgreement, Assignment]]:
        """Yield the assignments by which an operator gives most cases."""
        for assignment in list_assignments(operator, self._cases):
            if self._numbers_left <= 0:
                return
            # one of two: where they differ in a few, the first may be one of these
            if not any(
                self._compare(operator, assignment, case).agrees
                for case in self._cases[:2]
            ):
                continue

            comparisons = [
                self._compare(operator, assignment, case) for case in self._cases
            ]
            agreement = self._judge(operator, comparisons)
            if agreement is not None:
                yield agreement, assignment

    def is_mistakable(self, operator: KnownOperator, assignment: Assignment) -> bool:
        """Tell whether another operator of the family gives the same in all cases, or may: where
        too much was looked at, nobody can tell.
        """
        for rival in list_operators():
            if not _is_rival(operator, rival):
                continue
            if self._numbers_left <= 0:
                return True
            verdicts = [
                self._compare(rival, assignment, case).agrees for case in self._cases
            ]
            if True in verdicts and False not in verdicts:
                return True

        return False

    def _compare(
        self, operator: KnownOperator, assignment: Assignment, case: CaseArrays
    ) -> Comparison:
        steps = count_steps(operator, assignment, case)
        self._numbers_left -= _TRIAL_NUMBERS + _count_numbers(case)
        self._numbers_left -= steps // _STEPS_OF_A_NUMBER
        return compare(operator, assignment, case)

    def _judge(
        self, operator: KnownOperator, comparisons: Sequence[Comparison]
    ) -> OperatorAgreement | None:
        agreeing: list[str] = []
        differing: list[str] = []
        for case, comparison in zip(self._cases, comparisons, strict=True):
            if comparison.agrees is not None:
                (agreeing if comparison.agrees else differing).append(case.name)

        telling_count = sum(comparison.is_telling for comparison in comparisons)
        if telling_count < _MIN_TELLING_CASES:
            return None
        if 2 * len(agreeing) < len(comparisons):
            return None
        if not _varies(comparisons):
            return None

        return OperatorAgreement(
            operator=operator,
            agreeing_cases=tuple(agreeing),
            differing_cases=tuple(differing),
        )


def _varies(comparisons: Sequence[Comparison]) -> bool:
    """Tell whether results that agree are not all one number."""
    values: set[float] = set()
    for comparison in comparisons:
        if comparison.result is not None and comparison.result.size:
            values |= {float(comparison.result.min()), float(comparison.result.max())}
        if len(values) > 1:
            return True

    return False


def _is_rival(operator: KnownOperator, rival: KnownOperator) -> bool:
    is_same = operator.name in (rival.name, rival.extends) or (
        bool(operator.alias) and rival.alias == operator.alias
    )
    return (
        rival.family == operator.family
        and not is_same
        and len(rival.inputs) == len(operator.inputs)
        and set(rival.letters) <= set(operator.letters)
        and len(rival.reals) <= len(operator.reals)
    )


def _rank_case(case: CaseArrays) -> tuple[bool, int]:
    count = _count_numbers(case)
    return count < 32, count


def _count_numbers(case: CaseArrays) -> int:
    return sum(buffer.count for buffer in case.buffers)
