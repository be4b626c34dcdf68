"""Page `/reviews`: how far the reviewers are, how far they agree, and what is next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from crawler.model import Review, ReviewVerdict, decide_review_state
from crawler.reviews.agreement import Agreement, measure_agreement
from storage.errors import BadQuery
from storage.interfaces import KernelIndex
from storage.open import Storage
from workers.reviews.hand_out import hand_out_kernel
from workers.web.access.person import Person, get_person
from workers.web.access.rate_limits import limit_changes
from workers.web.access.session import OwnForm, Reviewer
from workers.web.answers import JSON_AND_HTML, answer, describe_answers
from workers.web.context import get_context
from workers.web.errors import Problem
from workers.web.pages.kernels import hides_reviews

ROUTER: Final = APIRouter()
_NAMED_UNITS: Final = 1000
_OWN_VERDICTS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnVerdict:
    """What whoever asks has said of a unit."""

    unit: str
    name: str
    """Of its kernel; empty where that is gone."""
    verdict: ReviewVerdict
    reviewed_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewsPage:
    """How far reviewing is."""

    agreement: Agreement | None
    """Null while it is first being measured; no reviewer or unit is named without a login,
    and to a reviewer no disputed unit that they have not reviewed themselves. To either, states
    are those of units that two or more looked at."""
    own: tuple[OwnVerdict, ...]
    """What whoever asks has said last, the newest first; each unit once."""
    query: str
    """Of which kernels the next is asked for."""
    problem: str
    """Why there is no next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """What is known of all reviews."""

    agreement: Agreement
    common_states: dict[str, int]
    """State to units, among those that two or more looked at."""
    disputants: dict[str, frozenset[str]]
    """Disputed unit to who reviewed it."""
    names: dict[str, str]
    """Disputed unit to the name of its kernel."""


@ROUTER.get("/reviews", response_model=ReviewsPage, responses=JSON_AND_HTML)
def show_reviews(
    request: Request, q: Annotated[str, Query(max_length=4096)] = ""
) -> Response:
    """Show how far reviewing is."""
    return _answer(request, q, "", 200)


@ROUTER.get("/reviews/next", status_code=303, response_class=RedirectResponse)
def go_back() -> Response:
    """Go to the reviews: whoever looks again where no kernel was left asks for this address."""
    return RedirectResponse("/reviews", 303)


@ROUTER.post(
    "/reviews/next",
    dependencies=[Depends(limit_changes), OwnForm],
    status_code=303,
    response_class=RedirectResponse,
    responses=describe_answers(400, 404, model=ReviewsPage | Problem),
)
def hand_out_next(
    request: Request, person: Reviewer, q: Annotated[str, Form(max_length=4096)] = ""
) -> Response:
    """Hand out the next kernel that needs a look, and go to it."""
    storage = get_context(request).storage
    try:
        row = hand_out_kernel(storage.index, storage.reviews, person.name, q)
    except BadQuery as error:
        return _answer(request, q, str(error), 400)
    if row is None:
        problem = _explain_nothing(storage.index, q)
        return _answer(request, q, problem, 404)
    address = f"/reviews/{row.digest}"
    return RedirectResponse(address, 303)


def _explain_nothing(index: KernelIndex, query: str) -> str:
    if not query.strip():
        return "Nothing is left that you could review."
    matching = f"({query}) and superseded = false"
    if not any(True for _ in index.query(f'{matching} and digest != ""', limit=1)):
        return "No kernel that matches this query can be reviewed: try a wider one."
    return "Nothing that matches this query is left for you: try a wider one."


def _list_own_verdicts(person: Person, storage: Storage) -> tuple[OwnVerdict, ...]:
    if not person.is_reviewer:
        return ()
    # twice as many, since one may be said anew
    reviews = storage.reviews.last_reviews_by(person.name, limit=2 * _OWN_VERDICTS)
    newest: dict[str, Review] = {}
    for review in reviews:
        newest.setdefault(review.unit, review)
    return tuple(
        OwnVerdict(
            unit=unit,
            name=next(
                (row.name for row in storage.index.query(f"digest = {unit}", limit=1)),
                "",
            ),
            verdict=review.verdict,
            reviewed_at=review.reviewed_at,
        )
        for unit, review in islice(newest.items(), _OWN_VERDICTS)
    )


def _answer(request: Request, query: str, problem: str, status: int) -> Response:
    context = get_context(request)
    cached_agreement = context.slow_values.get(
        "agreement",
        lambda: _measure(context.storage.reviews.reviews(), context.storage.index),
    )
    person = get_person(request)
    agreement = None
    names: dict[str, str] = {}
    if cached_agreement:
        known = cached_agreement.value
        agreement, names = _show_to(person, known), known.names
    page = ReviewsPage(
        agreement=agreement,
        own=_list_own_verdicts(person, context.storage),
        query=query,
        problem=problem,
    )
    is_blind = hides_reviews(person)
    return answer(
        request, "reviews.html", page, status=status, is_blind=is_blind, names=names
    )


def _measure(reviews: Iterable[Review], index: KernelIndex) -> _Measured:
    """Return how far reviewers agree, and what decides to whom which part of it is shown."""
    histories: dict[str, list[Review]] = defaultdict(list)
    for review in reviews:
        histories[review.unit].append(review)
    agreement = measure_agreement(chain.from_iterable(histories.values()))
    reviewers = {
        unit: frozenset(review.reviewer for review in history)
        for unit, history in histories.items()
    }
    common_states = Counter(
        decide_review_state(history).value
        for unit, history in histories.items()
        if len(reviewers[unit]) > 1
    )
    names = {
        row.digest: row.name
        for unit in agreement.disputed[:_NAMED_UNITS]
        for row in index.query(f"digest = {unit}", limit=1)
    }
    return _Measured(
        agreement=agreement,
        common_states=dict(sorted(common_states.items())),
        disputants={unit: reviewers[unit] for unit in agreement.disputed},
        names=names,
    )


def _show_to(person: Person, known: _Measured) -> Agreement:
    """Return what a person may see of it.

    A reviewer is not to learn what one other said alone: neither of a disputed unit that they
    have said nothing of, nor from a count of units that one person has seen.
    """
    agreement = known.agreement
    if not hides_reviews(person):
        return agreement
    agreement = replace(agreement, by_state=known.common_states)
    if not person.name:
        return replace(agreement, pairs=(), disputed=())
    disputed = tuple(
        unit for unit in agreement.disputed if person.name in known.disputants[unit]
    )
    return replace(agreement, disputed=disputed)
