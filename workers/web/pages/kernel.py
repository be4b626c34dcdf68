"""Page `/kernel`: all that is known of one kernel at one place."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from crawler.codec import to_builtins
from crawler.dataset.redaction.redact_record import redact_record
from crawler.dataset.rows.row import Row, to_row
from crawler.errors import NotFound, TooLarge
from crawler.model import KernelRecord
from storage.interfaces import Place
from storage.places import find_record
from workers.reviews.blindness import may_see_others
from workers.web.access.person import Person, get_person
from workers.web.answers import JSON_AND_HTML, answer, wants_json
from workers.web.context import get_context
from workers.web.places import kernel_address, place_of
from workers.web.source_views.kernel_view import make_kernel_view

ROUTER: Final = APIRouter()
_MAX_CHARACTERS: Final = 500_000
"""Of source and unit together."""
RepoQuery = Annotated[str, Query(max_length=1000, description="Of its repository.")]
CommitQuery = Annotated[str, Query(max_length=200, description="As it is pinned.")]
PathQuery = Annotated[str, Query(max_length=9000, description="Of its file.")]
OffsetQuery = Annotated[
    int, Query(ge=0, lt=2**53, description="Of its first character in the file.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPage:
    """A kernel, and where its page is."""

    address: str
    kernel: Row
    """As the view `kernels` exports it."""


@ROUTER.get("/kernel", response_model=KernelPage, responses=JSON_AND_HTML)
def show_kernel(
    request: Request,
    repo: RepoQuery,
    commit: CommitQuery,
    path: PathQuery,
    offset: OffsetQuery,
) -> Response:
    """Show a kernel."""
    place = Place(repo, commit, path, offset)
    record = load_record(request, place)
    person = get_person(request)
    if wants_json(request):
        page = KernelPage(
            address=kernel_address(place), kernel=to_visible_row(record, person)
        )
        return answer(request, "", page)

    return answer(
        request,
        "kernel.html",
        None,
        record=record,
        place=place,
        view=make_kernel_view(record),
        may_see=may_see_reviews(record, person),
        download=kernel_address(place, "/kernel/sample"),
    )


@ROUTER.get("/kernel/sample", response_model=Row)
def download_sample(
    request: Request,
    repo: RepoQuery,
    commit: CommitQuery,
    path: PathQuery,
    offset: OffsetQuery,
) -> Response:
    """Give the kernel as a file: one JSON object, as the view `kernels` exports it."""
    record = load_record(request, Place(repo, commit, path, offset))
    row: Any = to_builtins(to_visible_row(record, get_person(request)))
    name = "".join(
        c if c.isascii() and c.isalnum() else "_" for c in record.kernel.name
    )
    return Response(
        json.dumps(row, indent=1),
        media_type="application/json",
        headers={
            "Content-Disposition": f'attachment; filename="{name[:80]}.json"',
            # it has what was said for some, and not for others
            "Cache-Control": "no-store",
            "Vary": "Cookie, Authorization",
        },
    )


@ROUTER.get("/units/{digest}", status_code=303, response_class=RedirectResponse)
def find_unit(request: Request, digest: str) -> Response:
    """Go to the first kernel that has a unit."""
    is_digest = len(digest) == 64 and set(digest) <= set("0123456789abcdef")
    rows = get_context(request).storage.index.query(
        f"digest = {digest}" if is_digest else "digest = none", limit=1
    )
    for row in rows:
        return RedirectResponse(kernel_address(place_of(row)), 303)
    raise NotFound("no unit has this digest: `/kernels` lists what there is")


def is_too_large(record: KernelRecord) -> bool:
    """Return whether a kernel has so much text that a stranger could stop the server with it."""
    unit = record.kernel.unit
    characters = len(record.kernel.source) + (len(unit.source) if unit else 0)
    return characters > _MAX_CHARACTERS


def load_record(request: Request, place: Place) -> KernelRecord:
    """Return the record of the kernel at a place, redacted as exports are.

    Reviewers keep their names: who said something themselves is found by them.
    """
    record = find_record(get_context(request).storage.index, place)
    if record is None:
        raise NotFound("no kernel stands there: `/kernels` lists what there is")
    return redact_record(record, shows_reviewers=True)


def may_see_reviews(record: KernelRecord, person: Person) -> bool:
    """Return whether a person is not to stay blind to what others said of a kernel.

    Who has no name may be a reviewer who has not logged in.
    """
    if not person.name:
        return False
    return not person.is_reviewer or may_see_others(record.reviews, person.name)


def to_visible_row(record: KernelRecord, person: Person) -> Row:
    """Return the row of a record, without reviews for who is to stay blind to them.

    Raises `TooLarge` for a kernel that would take a server too long to measure.
    """
    if is_too_large(record):
        raise TooLarge(
            "this kernel is too large for a page: `kernelset export` writes it"
        )
    row = to_row(record)
    if may_see_reviews(record, person):
        return row
    return replace(row, review="", reviews=())
