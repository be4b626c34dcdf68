"""How far reviewers agree, beyond what chance would give: Cohen's kappa."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from crawler.model import Review, ReviewState, ReviewVerdict, decide_review_state

VerdictPair = tuple[ReviewVerdict, ReviewVerdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """How far two reviewers agree on the units that both looked at."""

    reviewers: tuple[str, str]
    units: int
    agreeing: int
    """Units of which both said the same at first, neither having seen what the other said."""
    kappa: float | None
    """Cohen's; `None` where chance alone would let them agree always, as where all is accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far all reviewers agree."""

    reviewed: int
    """Units with a review."""
    by_state: dict[str, int]
    """State to units, among those with a review."""
    twice: int
    """Units that two or more looked at."""
    agreeing: int
    """Of these, those of which the first two said the same at first."""
    kappa: float | None
    """Cohen's, between whoever looked first and whoever looked second."""
    pairs: tuple[PairAgreement, ...]
    """Of each two reviewers with units in common."""
    disputed: tuple[str, ...]
    """Digests of the units on which no majority agrees."""


def measure_agreement(reviews: Iterable[Review]) -> Agreement:
    """Return how far reviewers agree; `reviews` has whole histories, the oldest first.

    A reviewer's first verdict on a unit counts, which was given without sight of the others'.
    What they said later may be what these convinced them of.
    """
    histories: dict[str, list[Review]] = defaultdict(list)
    for review in reviews:
        histories[review.unit].append(review)

    states = {unit: decide_review_state(history) for unit, history in histories.items()}
    first_verdicts = [_list_first_verdicts(history) for history in histories.values()]
    openings = [
        (verdicts[0][1], verdicts[1][1])
        for verdicts in first_verdicts
        if len(verdicts) > 1
    ]

    return Agreement(
        reviewed=len(histories),
        by_state=dict(
            sorted(Counter(state.value for state in states.values()).items())
        ),
        twice=len(openings),
        agreeing=_count_agreeing(openings),
        kappa=compute_kappa(openings),
        pairs=tuple(_iter_pairs(first_verdicts)),
        disputed=tuple(
            unit for unit, state in states.items() if state is ReviewState.DISPUTED
        ),
    )


def compute_kappa(pairs: Sequence[VerdictPair]) -> float | None:
    """Return Cohen's kappa of two raters; `None` where it is not defined."""
    if not pairs:
        return None

    total = len(pairs)
    observed = _count_agreeing(pairs) / total
    first = Counter(pair[0] for pair in pairs)
    second = Counter(pair[1] for pair in pairs)
    equal_by_chance = sum(first[verdict] * second[verdict] for verdict in first)
    expected = equal_by_chance / total**2
    if expected == 1.0:
        return None
    return (observed - expected) / (1.0 - expected)


def _count_agreeing(pairs: Iterable[VerdictPair]) -> int:
    return sum(first is second for first, second in pairs)


def _list_first_verdicts(history: Iterable[Review]) -> list[tuple[str, ReviewVerdict]]:
    """Return (reviewer, verdict) of each reviewer's first review, in their order."""
    verdicts: dict[str, ReviewVerdict] = {}
    for review in history:
        verdicts.setdefault(review.reviewer, review.verdict)

    return list(verdicts.items())


def _iter_pairs(
    first_verdicts: Iterable[list[tuple[str, ReviewVerdict]]],
) -> Iterator[PairAgreement]:
    pairs: dict[tuple[str, str], list[VerdictPair]] = defaultdict(list)
    for verdicts in first_verdicts:
        for (first_reviewer, verdict), (other, other_verdict) in combinations(
            sorted(verdicts), 2
        ):
            pairs[first_reviewer, other].append((verdict, other_verdict))

    for reviewers, verdict_pairs in sorted(pairs.items()):
        yield PairAgreement(
            reviewers=reviewers,
            units=len(verdict_pairs),
            agreeing=_count_agreeing(verdict_pairs),
            kappa=compute_kappa(verdict_pairs),
        )
