"""Headers that every answer has, and addresses that end with `.json`."""

from __future__ import annotations

import re
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECURITY_HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        b" connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_JSON_SUFFIX: Final = ".json"
_OWN_JSON: Final = "/openapi.json"
_FOR_PROGRAMS: Final = re.compile("/judge(/|$)")
"""Addresses that no person reads: their errors are JSON, too."""


class SecurityHeaders:
    """Forbids a browser whatever no page of ours needs."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to an answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_SECURITY_HEADERS]
            await send(message)

        await self._app(scope, receive, send_with_headers)


class JsonAddresses:
    """Answers `/kernels.json` as `/kernels` for who accepts JSON alone, and so what is for
    programs.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take the suffix off an address, and remember it."""
        path = scope.get("path", "")
        if (
            scope["type"] == "http"
            and path.endswith(_JSON_SUFFIX)
            and path != _OWN_JSON
        ):
            plain = path.removesuffix(_JSON_SUFFIX) or "/"
            scope = {**scope, "path": plain, "raw_path": None, "wants_json": True}
        elif _FOR_PROGRAMS.match(path):
            scope = {**scope, "wants_json": True}
        await self._app(scope, receive, send)
