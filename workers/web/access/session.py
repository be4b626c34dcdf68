"""Sessions: a signed cookie names a token, or a person whom a provider vouches for."""

from __future__ import annotations

import hmac
import secrets
import time
from typing import Annotated, Any, Final

from fastapi import Depends, Form, Request
from starlette.exceptions import HTTPException

from storage.access.sql_token_book import TokenEntry, digest_token
from workers.web.access.person import NOBODY, Person, Role, get_person
from workers.web.access.rate_limits import limit_logins
from workers.web.context import get_context

COOKIE: Final = "kernelset"
SESSION_SECONDS: Final = 8 * 3600
_BEARER: Final = "Bearer "


def identify_person(request: Request) -> None:
    """Put who asks into the state of a request, and the word that their forms must hold."""
    token = _read_bearer(request)
    request.state.is_bearer = bool(token)
    if token:
        entry = get_context(request).storage.tokens.find(digest_token(token))
        if entry is None:
            # guessing is slowed down wherever a token is tried
            limit_logins(request)
            raise HTTPException(
                401,
                "This token is not known, or has expired: `kernelset token add` makes one.",
                {"WWW-Authenticate": "Bearer"},
            )
        request.state.person = _make_person(entry)
        return

    session = request.session
    request.state.csrf = session.get("csrf", "")
    request.state.person = _find_session_person(request, session)


def _read_bearer(request: Request) -> str:
    header = request.headers.get("authorization", "")
    return header.removeprefix(_BEARER).strip() if header.startswith(_BEARER) else ""


def _find_session_person(request: Request, session: dict[str, Any]) -> Person:
    # held first: a cookie is signed anew, and lives on, whenever its session changes
    if session.get("until", 0) <= time.time():
        return NOBODY

    digest = session.get("token", "")
    if digest:
        # looked up each time: a token that is revoked ends the session at once
        entry = get_context(request).storage.tokens.find(digest)
        return _make_person(entry) if entry else NOBODY

    return Person(name=session["name"], role=Role(session["role"]))


def _make_person(entry: TokenEntry) -> Person:
    return Person(name=entry.name, role=Role(entry.role))


def begin_token_session(request: Request, token: str) -> bool:
    """Log in by a token; false where it is not known, or has expired."""
    digest = digest_token(token.strip())
    if get_context(request).storage.tokens.find(digest) is None:
        return False

    _begin(request, {"token": digest})
    return True


def begin_vouched_session(request: Request, person: Person) -> None:
    """Log in a person whom a provider vouches for."""
    _begin(request, {"name": person.name, "role": person.role.value})


def _begin(request: Request, values: dict[str, Any]) -> None:
    # nothing of what was there before: it may have been planted
    request.session.clear()
    until = time.time() + SESSION_SECONDS
    csrf = secrets.token_urlsafe(24)
    request.session.update({**values, "until": until, "csrf": csrf})


def refuse_other_sites(request: Request) -> None:
    """Raise 403 for a form that a browser sends from a page of others.

    It would log people in under a name of its own, without their notice. What is no browser, or
    an old one, sends no such header.
    """
    site = request.headers.get("sec-fetch-site", "none")
    if site not in ("same-origin", "none"):
        raise HTTPException(403, "This form is not of our page: log in at `/login`.")


def check_form(
    request: Request, csrf: Annotated[str, Form(max_length=200)] = ""
) -> None:
    """Raise 403 for a form that our own page did not give to this very session."""
    if request.state.is_bearer:
        # a browser sends no such header by itself
        return

    expected = request.session.get("csrf", "")
    if not expected or not hmac.compare_digest(expected.encode(), csrf.encode()):
        raise HTTPException(
            403, "This form is not of your session: load the page again, and log in."
        )


def check_program(request: Request) -> None:
    """Raise 403 for a browser's session where none of our pages has a form for an address."""
    if get_person(request).name and not request.state.is_bearer:
        raise HTTPException(
            403, "This is for programs: send a token as `Authorization: Bearer TOKEN`."
        )


def require_reviewer(request: Request) -> Person:
    """Return who asks; raises 401 without a login, 403 for who may give no verdicts."""
    return _require(request, Role.REVIEWER)


def require_operator(request: Request) -> Person:
    """Return who asks; raises 401 without a login, 403 for who may not change crawls."""
    return _require(request, Role.OPERATOR)


def _require(request: Request, role: Role) -> Person:
    person = get_person(request)
    if not person.name:
        raise HTTPException(401, "Log in first: see the corner of the page.")
    if not person.role.may(role):
        raise HTTPException(
            403, f"Only a {role.value} may do this: ask whoever gave you your token."
        )
    return person


Reviewer = Annotated[Person, Depends(require_reviewer)]
Operator = Annotated[Person, Depends(require_operator)]
OwnForm = Depends(check_form)
OwnProgram = Depends(check_program)
