"""Answer a request: the same page as HTML for people and as JSON for programs."""

from __future__ import annotations

import json
from typing import Any, Final

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from crawler.codec import to_builtins
from workers.web.access.person import get_person
from workers.web.rendering import render

WITHOUT_NUL: Final = r"^[^\x00]*$"
"""Pattern of a word that is looked for in the stores: PostgreSQL takes no other."""
JSON_AND_HTML: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}},
}
"""What the description of the interface says of a page besides its JSON."""


_TEXT: Final = {"text/html": {"schema": {"type": "string"}}}


def describe_answers(*statuses: int, model: Any) -> dict[int | str, dict[str, Any]]:
    """Return what the description of the interface says of answers with these statuses."""
    return {status: {"model": model, "content": _TEXT} for status in statuses}


def wants_json(request: Request) -> bool:
    """Return whether a program asks: by `Accept`, or by `.json` at the end of the address."""
    if request.scope.get("wants_json"):
        return True
    accepted = request.headers.get("accept", "")
    return "application/json" in accepted and "text/html" not in accepted


def answer(
    request: Request, template: str, page: Any, *, status: int = 200, **values: Any
) -> Response:
    """Return a page, as HTML by a template or as JSON; `values` are for the template alone."""
    if wants_json(request):
        return answer_json(page, status=status)

    html = render(
        template,
        {
            "page": page,
            "person": get_person(request),
            "path": request.scope["path"],
            "here": request.url.path
            + (f"?{request.url.query}" if request.url.query else ""),
            "csrf": getattr(request.state, "csrf", ""),
            **values,
        },
    )
    # a cache must not give one form for the other, nor one person's page to another
    headers = {"Vary": "Accept, Cookie", "Cache-Control": "no-store"}
    return HTMLResponse(html, status_code=status, headers=headers)


def answer_json(page: Any, *, status: int = 200) -> Response:
    """Return a value as JSON, in ASCII, so that no character of a stranger acts on a terminal."""
    content = json.dumps(to_builtins(page), separators=(",", ":"))
    headers = {"Vary": "Accept, Cookie", "Cache-Control": "no-store"}
    return Response(content, status, headers, media_type="application/json")
