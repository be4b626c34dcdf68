"""Resolve a locator to the source that claims it."""

from __future__ import annotations

import re
from typing import Final

from crawler.errors import Misconfigured, NotFound
from crawler.plugins import load_plugins
from crawler.sources.interface import Source

_PLACE: Final = re.compile(r"(?P<scheme>[a-z0-9]+)://(?P<place>[^/]*)@", re.IGNORECASE)
# a user's name and a password for ssh's short form; what stands where a port would, and is none
_PASSWORD: Final = re.compile(
    r"[^:/@]+:[^/@]+@[^@/]+:|[^:]*://[^/@\[]*:(?!\d{1,5}(?:/|$))[^/]*/.*@"
)
_SECRET: Final = re.compile(r"(?<=://).*@|^[^@/]*:[^@]*@")


def find_source(locator: str) -> Source:
    """Return the source that claims the locator; raises `NotFound` with examples of each where
    none does.

    Raises `Misconfigured` for one that holds a password or a token, since locators are stored
    and printed.
    """
    if _holds_credentials(locator):
        raise Misconfigured(
            "the locator holds a password or a token, and locators are stored: "
            "leave it out, and give it to git as docs/configuration.md says",
            code="credentials-in-locator",
        )
    for source in load_plugins("crawler.sources.providers"):
        if source.claims(locator):
            return source  # type: ignore[no-any-return]
    examples = ", ".join(
        source.example for source in load_plugins("crawler.sources.providers")
    )
    shown = _SECRET.sub("…@", locator)
    raise NotFound(
        f"no source knows `{shown}`: write it like one of {examples}",
        code="unknown-locator",
    )


def get_source_by_name(name: str) -> Source:
    """Return the source of that name; raises `Misconfigured` where none is called so."""
    for source in load_plugins("crawler.sources.providers"):
        if source.name == name:
            return source  # type: ignore[no-any-return]
    raise Misconfigured(
        f"no source is called {name} here: install the version that listed the repository"
    )


def _holds_credentials(locator: str) -> bool:
    if _PASSWORD.match(locator):
        return True
    # over ssh a name alone is no secret; elsewhere it may be a token
    found = _PLACE.finditer(locator)
    return any(
        match["scheme"].lower() != "ssh" or ":" in match["place"] for match in found
    )
