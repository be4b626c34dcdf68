"""Hide from a reviewer what others say of a kernel until they have said something themselves."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.model import Review
from storage.errors import BadQuery
from storage.index.query.conditions import iter_terms
from storage.index.query.parser import parse_query


def may_see_others(history: Sequence[Review], reviewer: str) -> bool:
    """Return whether a reviewer has given a verdict of their own; who is none may see all."""
    return not reviewer or any(review.reviewer == reviewer for review in history)


def select_visible_reviews(
    history: Sequence[Review], reviewer: str
) -> tuple[Review, ...]:
    """Return the reviews of a unit that a reviewer may see."""
    return tuple(history) if may_see_others(history, reviewer) else ()


def refuse_review_terms(expression: str) -> None:
    """Raise `BadQuery` for a query that would tell by what it finds how others decided."""
    terms = iter_terms(parse_query(expression))
    if any(term.field.name == "review" for term in terms):
        raise BadQuery("`review` would tell you what others said; leave it out.")
