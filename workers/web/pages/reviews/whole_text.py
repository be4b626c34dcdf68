"""Page `/reviews/UNIT/texts/PART`: one text that is judged, from its first line to its last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from crawler.dataset.review_material import make_review_material
from crawler.model import ReviewedPart
from workers.web.answers import JSON_AND_HTML, answer, wants_json
from workers.web.context import get_context
from workers.web.pages.reviews.review import UnitPath, load_reviewed
from workers.web.rendering import make_address
from workers.web.source_views.highlight import highlight_source

ROUTER: Final = APIRouter()
_BUDGET: Final = 30_000
"""Characters on one page."""
_MAX_LINE: Final = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeText:
    """A text that is judged."""

    unit: str
    name: str
    """Of the kernel."""
    part: ReviewedPart
    text: str


@ROUTER.get(
    "/reviews/{unit}/texts/{part}", response_model=WholeText, responses=JSON_AND_HTML
)
def show_text(
    request: Request,
    unit: UnitPath,
    part: Annotated[ReviewedPart, Path(description="Which text.")],
    first: Annotated[
        int, Query(alias="from", ge=1, lt=10**9, description="The first line.")
    ] = 1,
) -> Response:
    """Show a text from a line on; as JSON it is whole."""
    record = load_reviewed(request, unit)
    material = make_review_material(record, get_context(request).storage.blobs.get)
    page = WholeText(
        unit=unit, name=material.name, part=part, text=material.texts()[part]
    )
    if wants_json(request):
        return answer(request, "", page)

    shown_text = highlight_source(
        page.text, budget=_BUDGET, first=first, max_line=_MAX_LINE
    )
    address = f"/reviews/{unit}/texts/{part.value}"
    following = shown_text.lines[-1].number + 1 if shown_text.left_out_behind else 0
    return answer(
        request,
        "text.html",
        page,
        shown=shown_text,
        first=first,
        following=make_address(address, **{"from": following}) if following else "",
    )
