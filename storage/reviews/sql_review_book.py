"""The book of reviews in SQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    delete,
    func,
    or_,
    select,
)

from crawler.codec import decode, encode
from crawler.model import (
    Review,
    ReviewState,
    decide_review_state,
    select_newest_reviews,
)
from crawler.reviews.check_review import check_review
from storage.database.base import upsert
from storage.database.bulk_insert import upsert_all
from storage.database.chunks import iter_chunks
from storage.database.engine import AdvisoryLock, read_transaction, write_transaction
from storage.reviews.review_rows import read_histories
from storage.tables import REVIEW, REVIEW_CLAIM, REVIEW_PASS, REVIEW_STATE, UNIT

_REVIEW_KEY: Final = ("unit", "reviewer", "reviewed_at")
_UNITS_PER_READ: Final = 500


class SqlReviewBook:
    """The `ReviewBook` in an SQL database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def put(self, reviews: Iterable[Review]) -> int:
        """Add reviews, and return how many are new; raises `KeyError` for an unknown unit."""
        listed = list(reviews)
        for review in listed:
            check_review(review)

        units = {review.unit for review in listed}
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            _require_units(connection, units)
            added = sum(_insert_review(connection, review) for review in listed)
            _write_states(connection, units)
            for review in listed:
                _end_claim(connection, review.unit, review.reviewer)
                _forget_pass(connection, review.unit, review.reviewer)

        return added

    def history(self, unit: str) -> tuple[Review, ...]:
        """Return all reviews of a unit, the oldest first."""
        with read_transaction(self._engine) as connection:
            return read_histories(connection, [unit]).get(unit, ())

    def reviews(self) -> Iterator[Review]:
        """Yield all reviews by unit, page by page; those of a unit the oldest first."""
        after = ""
        while True:
            units = select(REVIEW_STATE.c.unit).where(REVIEW_STATE.c.unit > after)
            units = units.order_by(REVIEW_STATE.c.unit).limit(_UNITS_PER_READ)
            with read_transaction(self._engine) as connection:
                page = connection.scalars(units).all()
                histories = read_histories(connection, page)

            for unit in page:
                yield from histories.get(unit, ())
            if len(page) < _UNITS_PER_READ:
                return
            after = page[-1]

    def last_reviews_by(self, reviewer: str, *, limit: int = 10) -> tuple[Review, ...]:
        """Return the reviews of one reviewer that were put last, the newest first."""
        statement = select(REVIEW.c.encoded).where(REVIEW.c.reviewer == reviewer)
        statement = statement.order_by(REVIEW.c.id.desc()).limit(limit)
        with read_transaction(self._engine) as connection:
            encoded = connection.scalars(statement).all()

        return tuple(decode(content.encode(), Review) for content in encoded)

    def count_states(self) -> dict[str, int]:
        """Return each state that a reviewed unit has, with the number of such units."""
        state = REVIEW_STATE.c.state
        statement = select(state, func.count()).group_by(state).order_by(state)
        with read_transaction(self._engine) as connection:
            rows = connection.execute(statement).all()

        return {row[0]: row[1] for row in rows}

    def waiting_for(self, reviewer: str, *, limit: int = 100) -> tuple[str, ...]:
        """Return units that need a look by `reviewer`: the disputed ones first."""
        is_disputed = REVIEW_STATE.c.state == ReviewState.DISPUTED.value
        has_one_look = REVIEW_STATE.c.reviewers == 1
        units: list[str] = []
        with read_transaction(self._engine) as connection:
            for is_wanted in (is_disputed, has_one_look):
                statement = self._select_waiting(reviewer, is_wanted)
                statement = statement.limit(limit - len(units))
                units += connection.scalars(statement).all()

        return tuple(units)

    def _select_waiting(
        self, reviewer: str, is_wanted: ColumnElement[bool]
    ) -> Select[Any]:
        own = select(REVIEW.c.unit).where(REVIEW.c.reviewer == reviewer)
        unit = REVIEW_STATE.c.unit
        statement = select(unit).where(
            is_wanted,
            unit.not_in(own),
            unit.not_in(self._select_claimed(reviewer)),
        )
        return statement.order_by(unit)

    def _select_claimed(self, except_by: str) -> Select[Any]:
        columns = REVIEW_CLAIM.c
        is_held = columns.until > self._clock()
        return select(columns.unit).where(is_held, columns.reviewer != except_by)

    def claim(self, unit: str, reviewer: str, seconds: float) -> bool:
        """Hand a unit to a reviewer for so long; false where somebody else holds it."""
        now = self._clock()
        columns = REVIEW_CLAIM.c
        claim = upsert(REVIEW_CLAIM).values(
            {"unit": unit, "reviewer": reviewer, "until": now + seconds}
        )
        is_free = or_(columns.until <= now, columns.reviewer == reviewer)
        renewed_claim = claim.on_conflict_do_update(
            index_elements=["unit"],
            set_={"reviewer": reviewer, "until": now + seconds},
            where=is_free,
        ).returning(columns.unit)

        with write_transaction(self._engine) as connection:
            _require_units(connection, {unit})
            return connection.scalar(renewed_claim) is not None

    def release(self, unit: str, reviewer: str) -> None:
        """Give back a unit that the reviewer holds."""
        with write_transaction(self._engine) as connection:
            if _end_claim(connection, unit, reviewer):
                # the new row is behind the others of this reviewer
                _forget_pass(connection, unit, reviewer)
                row = {"unit": unit, "reviewer": reviewer}
                connection.execute(upsert(REVIEW_PASS).values(row))

    def passed_units(self, reviewer: str, *, limit: int = 1000) -> tuple[str, ...]:
        """Return the last units that a reviewer gave back, the last one last."""
        columns = REVIEW_PASS.c
        statement = select(columns.unit).where(columns.reviewer == reviewer)
        statement = statement.order_by(columns.id.desc()).limit(limit)
        with read_transaction(self._engine) as connection:
            return tuple(reversed(connection.scalars(statement).all()))

    def claimed_units(self, *, except_by: str = "") -> frozenset[str]:
        """Return the units that somebody holds, other than `except_by`."""
        with read_transaction(self._engine) as connection:
            return frozenset(connection.scalars(self._select_claimed(except_by)))


def _end_claim(connection: Connection, unit: str, reviewer: str) -> bool:
    """End a reviewer's claim; false where they had none."""
    columns = REVIEW_CLAIM.c
    is_own = columns.unit == unit, columns.reviewer == reviewer
    ended = delete(REVIEW_CLAIM).where(*is_own).returning(columns.unit)
    return connection.scalar(ended) is not None


def _forget_pass(connection: Connection, unit: str, reviewer: str) -> None:
    columns = REVIEW_PASS.c
    is_own = columns.unit == unit, columns.reviewer == reviewer
    connection.execute(delete(REVIEW_PASS).where(*is_own))


def _require_units(connection: Connection, units: set[str]) -> None:
    """Raise `KeyError` with the least digest of those that are no units."""
    known_units: set[str] = set()
    for chunk in iter_chunks(units):
        statement = select(UNIT.c.digest).where(UNIT.c.digest.in_(chunk))
        known_units.update(connection.scalars(statement))

    unknown = units - known_units
    if unknown:
        raise KeyError(min(unknown))


def _insert_review(connection: Connection, review: Review) -> bool:
    """Add a review; false where it is there already."""
    row = {
        "unit": review.unit,
        "reviewer": review.reviewer,
        "reviewed_at": review.reviewed_at,
        "verdict": review.verdict.value,
        "encoded": encode(review).decode(),
    }
    statement = upsert(REVIEW).values(row)
    statement = statement.on_conflict_do_nothing(index_elements=list(_REVIEW_KEY))
    inserted = connection.execute(statement.returning(REVIEW.c.id))
    return inserted.first() is not None


def _write_states(connection: Connection, units: set[str]) -> None:
    histories = read_histories(connection, units)
    rows: Sequence[dict[str, Any]] = [
        {
            "unit": unit,
            "state": decide_review_state(history).value,
            "reviewers": len(select_newest_reviews(history)),
        }
        for unit, history in sorted(histories.items())
    ]
    upsert_all(connection, REVIEW_STATE, rows, ("unit",))
