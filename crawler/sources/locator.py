"""Resolve a locator to the source that claims it."""

from __future__ import annotations

import re
from typing import Final, cast

from crawler.errors import Misconfigured, NotFound
from crawler.plugins import load_plugins
from crawler.sources.interface import Source

_PLUGIN_PACKAGE: Final = "crawler.sources.providers"
# `https://NAME@HOST`
_USER_PART: Final = re.compile(
    r"(?P<scheme>[a-z0-9]+)://(?P<user>[^/]*)@", re.IGNORECASE
)
# A password in ssh's short form, `NAME:WORD@HOST:PATH`, and what stands where a URL has its
# port, and is none.
_PASSWORD: Final = re.compile(
    r"[^:/@]+:[^/@]+@[^@/]+:|[^:]*://[^/@\[]*:(?!\d{1,5}(?:/|$))[^/]*/.*@"
)
_SECRET: Final = re.compile(r"(?<=://).*@|^[^@/]*:[^@]*@")


def find_source(locator: str) -> Source:
    """Return the source that claims the locator.

    Raises `NotFound`, with an example of each source, where none does, or where it can name
    nothing; and `Misconfigured` for
    a locator with a password or a token, since locators are stored and printed.
    """
    if _holds_credentials(locator):
        raise Misconfigured(
            "the locator holds a password or a token, and locators are stored: "
            "leave it out, and give it to git as docs/configuration.md says",
            code="credentials-in-locator",
        )

    sources = _load_sources()
    for source in sources:
        if source.claims(locator):
            source.check_form(locator)
            return source

    # A source knows best how its locators are written.
    examples = ", ".join(source.example for source in sources)
    printable_locator = _SECRET.sub("…@", locator)
    raise NotFound(
        f"no source knows `{printable_locator}`: write it like one of {examples}",
        code="unknown-locator",
    )


def get_source_by_name(name: str) -> Source:
    """Return the source of that name; raises `Misconfigured` where none is called so."""
    for source in _load_sources():
        if source.name == name:
            return source
    raise Misconfigured(
        f"no source is called {name} here: "
        "install the version that listed the repository"
    )


def _load_sources() -> tuple[Source, ...]:
    return cast("tuple[Source, ...]", load_plugins(_PLUGIN_PACKAGE))


def _holds_credentials(locator: str) -> bool:
    if _PASSWORD.match(locator):
        return True
    return any(map(_may_be_token, _USER_PART.finditer(locator)))


def _may_be_token(match: re.Match[str]) -> bool:
    # Over ssh a name alone is no secret. Elsewhere it may be a token.
    return match["scheme"].lower() != "ssh" or ":" in match["user"]
