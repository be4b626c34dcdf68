"""The application: all pages, behind what every request passes through."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.staticfiles import StaticFiles

from storage.open import Storage
from workers.config.settings import Settings
from workers.local.judging_pool import JudgingPool
from workers.web.access.provider import make_provider_client
from workers.web.access.rate_limits import RateLimits
from workers.web.access.session import COOKIE, SESSION_SECONDS, identify_person
from workers.web.context import WebContext
from workers.web.errors import PROBLEMS, add_error_pages
from workers.web.middleware import JsonAddresses
from workers.web.pages import (
    completion,
    crawl,
    crawl_actions,
    crawls,
    health,
    judge,
    judging,
    kernel,
    kernels,
    login,
    provider_login,
    repositories,
    repository,
)
from workers.web.pages.reviews import overview, review, run_again, whole_text
from workers.web.rendering import STATIC_FOLDER

_PAGES = (
    crawls,
    crawl,
    crawl_actions,
    kernels,
    completion,
    kernel,
    repositories,
    repository,
    overview,
    review,
    whole_text,
    run_again,
    judge,
    judging,
    login,
    provider_login,
    health,
)
_MAX_BODY_BYTES = 256 << 10
"""Of a form: the largest is a review with its comments."""


def create_app(
    storage: Storage, settings: Settings, *, allowed_hosts: Sequence[str] = ("*",)
) -> FastAPI:
    """Return the application over a storage, which stays the caller's to close.

    `allowed_hosts` are the names by which it answers. It is served within `SecurityHeaders`:
    what is added here is passed by where an unexpected error is answered.
    """
    has_broker = settings.broker is not None
    judging_pool = None if has_broker else JudgingPool(settings, storage)
    context = WebContext(storage=storage, settings=settings, judging_pool=judging_pool)

    @asynccontextmanager
    async def serve_judgings(_: FastAPI) -> AsyncIterator[None]:
        if judging_pool is not None:
            judging_pool.start()
        yield
        if judging_pool is not None:
            judging_pool.close()
        context.slow_values.close()

    app = FastAPI(
        title="Kernelset",
        version=version("kernelset"),
        description="Every page is JSON too: ask with `Accept: application/json`.",
        lifespan=serve_judgings,
        # its documentation page would load scripts from elsewhere
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(identify_person)],
        max_body_size=_MAX_BODY_BYTES,
        responses=PROBLEMS,
    )
    app.state.context = context
    app.state.rate_limits = RateLimits()
    app.state.provider_client = make_provider_client(settings)
    for page in _PAGES:
        app.include_router(page.ROUTER)

    app.mount("/static", StaticFiles(directory=STATIC_FOLDER), name="static")
    add_error_pages(app)
    # the last is the first that a request passes
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    secret = settings.web_secret
    app.add_middleware(
        SessionMiddleware,
        # without one of their own, sessions end with the server
        secret_key=secret.get_secret_value() if secret else secrets.token_urlsafe(32),
        session_cookie=COOKIE,
        max_age=SESSION_SECONDS,
        same_site="lax",
        https_only=settings.web_address.startswith("https://"),
    )
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(allowed_hosts))
    app.add_middleware(JsonAddresses)
    return app
