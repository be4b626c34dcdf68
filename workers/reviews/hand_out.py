"""Hand out kernels to reviewers, so that no two look at the same one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from workers.reviews.blindness import refuse_review_terms

if TYPE_CHECKING:
    from crawler.model import KernelRecord
    from storage.interfaces import KernelIndex, KernelRow
    from storage.reviews_interface import ReviewBook

HAND_OUT_SECONDS: Final = 3600.0
"""How long a kernel is held for a reviewer who does not come back."""
_FIRST_ROWS: Final = 20


def hand_out_kernel(
    index: KernelIndex,
    book: ReviewBook,
    reviewer: str,
    expression: str = "",
    *,
    seconds: float = HAND_OUT_SECONDS,
) -> KernelRow | None:
    """Give the next kernel that needs a look to a reviewer; `None` where there is none.

    What is disputed comes first, then what one other person has reviewed, then what nobody has,
    in the order of their places; what the reviewer gave back comes again once nothing else is
    left, the oldest first. Raises `BadQuery`, also for a query that tells of reviews.
    """
    refuse_review_terms(expression)
    # in order, and a set in effect
    passed = dict.fromkeys(book.passed_units(reviewer))
    passed_rows: dict[str, KernelRow] = {}
    tried: set[str] = set()
    for row in _iter_candidates(index, book, reviewer, expression):
        if row.digest in tried:
            continue
        tried.add(row.digest)
        if row.digest in passed:
            passed_rows[row.digest] = row
            continue
        if book.claim(row.digest, reviewer, seconds):
            return row

    for unit in passed:
        if unit in passed_rows and book.claim(unit, reviewer, seconds):
            return passed_rows[unit]
    return None


def _iter_candidates(
    index: KernelIndex, book: ReviewBook, reviewer: str, expression: str
) -> Iterator[KernelRow]:
    chosen = f"({expression}) and" if expression.strip() else ""
    condition = f"{chosen} superseded = false"
    # parsed before anything is looked for: the expression alone says where it is wrong
    index.query(expression)

    for unit in book.waiting_for(reviewer):
        yield from index.query(f"{condition} and digest = {unit}", limit=1)

    unreviewed = f'{condition} and review = unreviewed and digest != ""'
    # a small page first: mostly its first row is the answer
    first_rows = index.query(unreviewed, limit=_FIRST_ROWS)
    yield from chain(first_rows, index.query(unreviewed))


def find_record(index: KernelIndex, unit: str) -> KernelRecord | None:
    """Return the record of a unit, at the first place that is not superseded, else at any."""
    for expression in (f"digest = {unit} and superseded = false", f"digest = {unit}"):
        for record in index.records(expression, limit=1):
            return record

    return None
