"""Reviews in memory."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator

from crawler.model import (
    Review,
    ReviewState,
    decide_review_state,
    select_newest_reviews,
)
from crawler.reviews.check_review import check_review


class InMemoryReviewBook:
    """A `ReviewBook` in dictionaries; `units` has the digests that can be reviewed."""

    def __init__(
        self, units: Container[str], clock: Callable[[], float] = time.time
    ) -> None:
        self._units = units
        self._clock = clock
        self._histories: dict[str, list[Review]] = {}
        self._log: list[Review] = []
        """In the order in which they were put."""
        self._claims: dict[str, tuple[str, float]] = {}
        """Unit to who holds it, and until when."""
        self._passed: dict[str, list[str]] = {}
        """Reviewer to the units that they gave back, the last one last."""

    def put(self, reviews: Iterable[Review]) -> int:
        """Add reviews, and return how many are new; raises `KeyError` for an unknown unit."""
        listed = list(reviews)
        for review in listed:
            check_review(review)
        unknown = {review.unit for review in listed if review.unit not in self._units}
        if unknown:
            raise KeyError(min(unknown))

        return sum(self._put_one(review) for review in listed)

    def _put_one(self, review: Review) -> bool:
        self.release(review.unit, review.reviewer)
        self._forget_pass(review.unit, review.reviewer)
        history = self._histories.setdefault(review.unit, [])
        key = review.reviewer, review.reviewed_at
        if any(
            (earlier_review.reviewer, earlier_review.reviewed_at) == key
            for earlier_review in history
        ):
            return False

        history.append(review)
        self._log.append(review)
        # stable: of two at the same time, the one that was put first stays first
        history.sort(key=lambda known: known.reviewed_at)
        return True

    def history(self, unit: str) -> tuple[Review, ...]:
        """Return all reviews of a unit, the oldest first."""
        return tuple(self._histories.get(unit, ()))

    def reviews(self) -> Iterator[Review]:
        """Yield all reviews by unit, those of a unit the oldest first."""
        for unit in sorted(self._histories):
            yield from self._histories[unit]

    def last_reviews_by(self, reviewer: str, *, limit: int = 10) -> tuple[Review, ...]:
        """Return the reviews of one reviewer that were put last, the newest first."""
        own = [review for review in reversed(self._log) if review.reviewer == reviewer]
        return tuple(own[:limit])

    def count_states(self) -> dict[str, int]:
        """Return each state that a reviewed unit has, with the number of such units."""
        states = map(decide_review_state, self._histories.values())
        return dict(sorted(Counter(state.value for state in states).items()))

    def waiting_for(self, reviewer: str, *, limit: int = 100) -> tuple[str, ...]:
        """Return units that need a look by `reviewer`: the disputed ones first."""
        claimed = self.claimed_units(except_by=reviewer)
        disputed: list[str] = []
        single: list[str] = []
        for unit, history in sorted(self._histories.items()):
            newest = select_newest_reviews(history)
            if unit in claimed or any(review.reviewer == reviewer for review in newest):
                continue
            if decide_review_state(history) is ReviewState.DISPUTED:
                disputed.append(unit)
            elif len(newest) == 1:
                single.append(unit)

        return (*disputed, *single)[:limit]

    def claim(self, unit: str, reviewer: str, seconds: float) -> bool:
        """Hand a unit to a reviewer for so long; false where somebody else holds it."""
        if unit not in self._units:
            raise KeyError(unit)
        if unit in self.claimed_units(except_by=reviewer):
            return False

        self._claims[unit] = reviewer, self._clock() + seconds
        return True

    def release(self, unit: str, reviewer: str) -> None:
        """Give back a unit that the reviewer holds."""
        holder, _ = self._claims.get(unit, ("", 0.0))
        if holder == reviewer:
            del self._claims[unit]
            self._forget_pass(unit, reviewer)
            self._passed.setdefault(reviewer, []).append(unit)

    def _forget_pass(self, unit: str, reviewer: str) -> None:
        passed = self._passed.get(reviewer, [])
        if unit in passed:
            passed.remove(unit)

    def passed_units(self, reviewer: str, *, limit: int = 1000) -> tuple[str, ...]:
        """Return the last units that a reviewer gave back, the last one last."""
        return tuple(self._passed.get(reviewer, ())[-limit:])

    def claimed_units(self, *, except_by: str = "") -> frozenset[str]:
        """Return the units that somebody holds, other than `except_by`."""
        now = self._clock()
        return frozenset(
            unit
            for unit, (holder, until) in self._claims.items()
            if until > now and holder != except_by
        )
