"""Page `/reviews/UNIT`: one kernel with all that a reviewer judges, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Form, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from crawler.dataset.redaction.redact_record import redact_record
from crawler.dataset.review_material import make_review_material
from crawler.errors import Misconfigured, NotFound, TooLarge
from crawler.model import (
    ChecklistItem,
    KernelRecord,
    Review,
    ReviewComment,
    ReviewedPart,
    ReviewVerdict,
    decide_review_state,
)
from crawler.reviews.material import ReviewMaterial
from workers.judging.judging_request import Judging, read_judging
from workers.reviews.hand_out import find_record
from workers.web.access.person import get_person
from workers.web.access.rate_limits import limit_changes
from workers.web.access.session import OwnForm, Reviewer
from workers.web.answers import JSON_AND_HTML, answer, describe_answers, wants_json
from workers.web.context import get_context
from workers.web.errors import Problem
from workers.web.pages.kernel import is_too_large, may_see_reviews
from workers.web.source_views.review_view import make_review_view

ROUTER: Final = APIRouter()
UnitPath = Annotated[
    str, Path(pattern="^[0-9a-f]{64}$", description="A unit's digest.")
]
RunQuery = Annotated[
    str,
    Query(
        pattern="^([0-9a-f]{12})?$",
        description="A judging's id, as `/reviews/UNIT/run` gives it.",
    ),
]
Answer = Literal["met", "unmet", ""]
_COMMENT_FIELDS: Final = 3
"""Comments that one form has room for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPage:
    """What a reviewer judges of a unit, and what was said of it."""

    material: ReviewMaterial
    may_see: bool
    """Whether `state` and `reviews` are shown: a reviewer gives a verdict first."""
    state: str
    reviews: tuple[Review, ...]
    """The oldest first."""
    run: Judging | None = None
    """What came of running it again; null where nobody asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What somebody wrote into the form of a verdict that was not kept."""

    checks: Mapping[str, str] = field(default_factory=dict)
    """Item of the checklist to `met`, `unmet` or nothing."""
    note: str = ""
    comments: tuple[tuple[str, str, str], ...] = ()
    """Part, line and text."""

    def list_comments(self) -> list[tuple[str, str, str]]:
        """Return the comments, with empty ones behind them up to what the form has room for."""
        empty = (ReviewedPart.SOURCE.value, "", "")
        missing = _COMMENT_FIELDS - len(self.comments)
        return [*self.comments, *[empty] * missing]


@ROUTER.get("/reviews/{unit}", response_model=ReviewPage, responses=JSON_AND_HTML)
def show_unit(request: Request, unit: UnitPath, run: RunQuery = "") -> Response:
    """Show what is to be judged of a unit, and what came of running it again."""
    record = load_reviewed(request, unit)
    return _answer(request, record, "", 200, run=run)


@ROUTER.post(
    "/reviews/{unit}",
    dependencies=[Depends(limit_changes), OwnForm],
    status_code=303,
    response_class=RedirectResponse,
    responses=describe_answers(200, 400, model=ReviewPage | Problem),
)
def give_verdict(
    request: Request,
    unit: UnitPath,
    person: Reviewer,
    verdict: Annotated[ReviewVerdict, Form()],
    instruction: Annotated[Answer, Form(alias="check-instruction-clear")] = "",
    agree: Annotated[Answer, Form(alias="check-code-and-description-agree")] = "",
    cover: Annotated[Answer, Form(alias="check-tests-cover")] = "",
    style: Annotated[Answer, Form(alias="check-style")] = "",
    note: Annotated[str, Form(max_length=10_000)] = "",
    part: Annotated[list[ReviewedPart] | None, Form(max_length=200)] = None,
    line: Annotated[list[str] | None, Form(max_length=200)] = None,
    comment: Annotated[list[str] | None, Form(max_length=200)] = None,
) -> Response:
    """Keep a verdict on a unit."""
    record = load_reviewed(request, unit)
    storage = get_context(request).storage
    checked = dict(zip(ChecklistItem, (instruction, agree, cover, style), strict=True))
    try:
        review = Review(
            unit=unit,
            reviewer=person.name,
            verdict=verdict,
            met=tuple(item for item, answer in checked.items() if answer == "met"),
            unmet=tuple(item for item, answer in checked.items() if answer == "unmet"),
            # a browser ends lines as MIME does
            note=note.replace("\r\n", "\n").strip(),
            comments=_make_comments(part or [], line or [], comment or []),
            reviewed_at=storage.clock(),
            origin="web",
        )
        storage.reviews.put([review])
    except Misconfigured as error:
        if wants_json(request):
            raise
        draft = Draft(
            checks={item.value: answer for item, answer in checked.items()},
            note=note,
            comments=tuple(zip(part or (), line or (), comment or (), strict=False)),
        )
        return _answer(request, record, str(error), 400, draft=draft)

    get_context(request).slow_values.forget("agreement")
    if wants_json(request):
        return _answer(request, load_reviewed(request, unit), "", 200)
    return RedirectResponse(f"/reviews/{unit}", 303)


@ROUTER.post(
    "/reviews/{unit}/release",
    dependencies=[Depends(limit_changes), OwnForm],
    status_code=303,
    response_class=RedirectResponse,
)
def give_back(request: Request, unit: UnitPath, person: Reviewer) -> Response:
    """Give a kernel back without a verdict, so that others may have it."""
    get_context(request).storage.reviews.release(unit, person.name)
    return RedirectResponse("/reviews", 303)


def _make_comments(
    parts: list[ReviewedPart], lines: list[str], texts: list[str]
) -> tuple[ReviewComment, ...]:
    comments: list[ReviewComment] = []
    for part, line, text in zip(parts, lines, texts, strict=False):
        if not text.strip():
            continue
        if line.strip() and not (line.strip().isdecimal() and len(line) < 10):
            raise Misconfigured(
                "a comment's line is a number, or empty for the whole",
                code="bad-review",
            )
        comments.append(
            ReviewComment(
                part=part,
                line=int(line.strip() or 0),
                text=text.replace("\r\n", "\n").strip(),
            )
        )

    return tuple(comments)


def load_reviewed(request: Request, unit: str) -> KernelRecord:
    """Return the record of a unit, redacted; raises where a page cannot show it."""
    record = find_record(get_context(request).storage.index, unit)
    if record is None:
        raise NotFound("no unit has this digest: `/kernels` lists what there is")
    if is_too_large(record):
        raise TooLarge("this kernel is too large to be judged on a page")
    return redact_record(record, shows_reviewers=True)


def _answer(
    request: Request,
    record: KernelRecord,
    problem: str,
    status: int,
    *,
    run: str = "",
    draft: Draft | None = None,
) -> Response:
    storage = get_context(request).storage
    person = get_person(request)
    # what a compiler says of a kernel is for those who may have it run
    judging = read_judging(run, storage) if run and person.is_reviewer else None
    may_see = may_see_reviews(record, person)
    material = make_review_material(record, storage.blobs.get)
    page = ReviewPage(
        material=material,
        may_see=may_see,
        state=decide_review_state(record.reviews).value if may_see else "",
        reviews=record.reviews if may_see else (),
        run=judging,
    )
    if wants_json(request):
        return answer(request, "", page, status=status)

    return answer(
        request,
        "review.html",
        page,
        status=status,
        record=record,
        view=make_review_view(record, material, storage.blobs.get),
        problem=problem,
        checklist=list(ChecklistItem),
        parts=[part.value for part in ReviewedPart],
        draft=draft or Draft(),
        has_said=any(review.reviewer == person.name for review in record.reviews),
    )
