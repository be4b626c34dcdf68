"""Pages `/login/provider` and `/login/callback`: log in through OpenID Connect."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from crawler.errors import NotFound
from workers.web.access.provider import choose_claims, recognise_person
from workers.web.access.rate_limits import limit_logins
from workers.web.access.session import begin_vouched_session
from workers.web.context import get_context
from workers.web.pages.login import keep_local

ROUTER: Final = APIRouter(include_in_schema=False)
_NEXT_KEY: Final = "next"


@ROUTER.get("/login/provider", dependencies=[Depends(limit_logins)])
async def go_to_provider(
    request: Request,
    after: Annotated[str, Query(alias="next", max_length=9000)] = "/",
) -> Response:
    """Send a person to the provider."""
    client = _get_client(request)
    request.session[_NEXT_KEY] = keep_local(after)
    public_address = get_context(request).settings.web_address.rstrip("/")
    callback = "/login/callback"
    if public_address:
        callback_address = public_address + callback
    else:
        callback_address = str(request.base_url).rstrip("/") + callback
    try:
        response: Response = await client.authorize_redirect(request, callback_address)
    except Exception as error:
        # a server of others may answer anything, or nothing
        raise _refuse(error) from error
    return response


@ROUTER.get("/login/callback", dependencies=[Depends(limit_logins)])
async def finish_login(request: Request) -> Response:
    """Begin the session of a person whom the provider sends back."""
    client = _get_client(request)
    settings = get_context(request).settings
    after = keep_local(str(request.session.get(_NEXT_KEY, "/")))
    try:
        # it holds state, nonce, signature and issuer against what was asked for
        answer = await client.authorize_access_token(request)
        signed = dict(answer["userinfo"])
        # many tell an address and groups only here
        further = dict(await client.userinfo(token=answer))
        claims = choose_claims(signed, further, settings.oidc_client)
    except Exception as error:
        raise _refuse(error) from error

    person = recognise_person(claims, settings)
    if not person.name:
        raise HTTPException(
            403, "The provider did not say who you are: ask its operator."
        )
    begin_vouched_session(request, person)
    return RedirectResponse(after, 303)


def _get_client(request: Request) -> Any:
    client = request.app.state.provider_client
    if client is None:
        raise NotFound("no provider is set: log in by a token at `/login`")
    return client


def _refuse(error: Exception) -> HTTPException:
    # what a provider says may hold anything: the kind of error is enough for its operator
    return HTTPException(
        502, f"The provider did not let you in ({type(error).__name__}): try again."
    )
