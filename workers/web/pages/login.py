"""Pages `/login` and `/logout`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from workers.web.access.rate_limits import limit_logins
from workers.web.access.session import (
    OwnForm,
    begin_token_session,
    refuse_other_sites,
)
from workers.web.answers import JSON_AND_HTML, answer, describe_answers
from workers.web.context import get_context
from workers.web.errors import Problem

ROUTER: Final = APIRouter()
_MAX_ADDRESS_CHARACTERS: Final = 1000
"""Of where one goes afterwards: it is kept in a cookie, which a browser drops if it is long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginPage:
    """What a login needs."""

    next: str
    """Where one goes afterwards."""
    problem: str
    """Why the last attempt failed."""
    has_provider: bool
    """Whether an OpenID Connect provider may vouch for people."""


@ROUTER.get("/login", response_model=LoginPage, responses=JSON_AND_HTML)
def show_login(
    request: Request,
    after: Annotated[str, Query(alias="next", max_length=9000)] = "/",
) -> Response:
    """Show the form for a token."""
    return _answer(request, after, "", 200)


@ROUTER.post(
    "/login",
    dependencies=[Depends(refuse_other_sites), Depends(limit_logins)],
    status_code=303,
    response_class=RedirectResponse,
    responses=describe_answers(401, model=LoginPage | Problem),
)
def log_in(
    request: Request,
    token: Annotated[str, Form(max_length=200)],
    after: Annotated[str, Form(alias="next", max_length=9000)] = "/",
) -> Response:
    """Begin a session by a token."""
    if begin_token_session(request, token):
        return RedirectResponse(keep_local(after), 303)
    problem = "This token is not known, or has expired."
    return _answer(request, after, problem, 401)


@ROUTER.post(
    "/logout",
    dependencies=[OwnForm],
    status_code=303,
    response_class=RedirectResponse,
)
def log_out(request: Request) -> Response:
    """End the session."""
    request.session.clear()
    return RedirectResponse("/", 303)


def _answer(request: Request, after: str, problem: str, status: int) -> Response:
    page = LoginPage(
        next=keep_local(after),
        problem=problem,
        has_provider=bool(get_context(request).settings.oidc_issuer),
    )
    return answer(request, "login.html", page, status=status)


def keep_local(address: str) -> str:
    """Return an address of ours: one of another server would lead people there."""
    # two slashes of either kind are followed by a host
    is_local = address.startswith("/") and address[1:2] not in ("/", "\\")
    is_short = len(address) <= _MAX_ADDRESS_CHARACTERS
    return address if is_local and is_short and address.isprintable() else "/"
