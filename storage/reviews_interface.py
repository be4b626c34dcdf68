"""Interface of the book of reviews."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from crawler.model import Review


class ReviewBook(Protocol):
    """What people said of units. Nothing is ever changed: a reviewer who thinks anew says so in
    a further review.
    """

    def put(self, reviews: Iterable[Review]) -> int:
        """Add reviews, and return how many are new.

        One by the same reviewer of the same unit at the same time is there already. The claims
        of their reviewers on their units end. Raises `KeyError` with the digest for a unit that
        was never put, and then adds none; and `Misconfigured` as `check_review` does.
        """
        ...

    def history(self, unit: str) -> tuple[Review, ...]:
        """Return all reviews of a unit, the oldest first."""
        ...

    def reviews(self) -> Iterator[Review]:
        """Yield all reviews, those of a unit the oldest first."""
        ...

    def last_reviews_by(self, reviewer: str, *, limit: int = 10) -> tuple[Review, ...]:
        """Return the reviews of one reviewer that were put last, the newest first."""
        ...

    def count_states(self) -> dict[str, int]:
        """Return each state that a reviewed unit has, with the number of such units."""
        ...

    def waiting_for(self, reviewer: str, *, limit: int = 100) -> tuple[str, ...]:
        """Return units that need a look by `reviewer`, at most `limit`: those that are disputed,
        then those that one other person has reviewed, each in the order of their digests.

        What this reviewer has reviewed, or others hold, is not among them.
        """
        ...

    def claim(self, unit: str, reviewer: str, seconds: float) -> bool:
        """Hand a unit to a reviewer for so long; false where somebody else holds it.

        Raises `KeyError` for a unit that was never put.
        """
        ...

    def release(self, unit: str, reviewer: str) -> None:
        """Give back a unit that the reviewer holds; nothing changes where they do not.

        It is among their `passed_units` until they review it.
        """
        ...

    def passed_units(self, reviewer: str, *, limit: int = 1000) -> tuple[str, ...]:
        """Return the units that a reviewer gave back, at most the last `limit`, the last one
        last.
        """
        ...

    def claimed_units(self, *, except_by: str = "") -> frozenset[str]:
        """Return the units that somebody holds, other than `except_by`."""
        ...
