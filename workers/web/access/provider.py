"""An OpenID Connect provider that vouches for people, and the roles that they have here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from authlib.integrations.starlette_client import OAuth

from workers.config.settings import Settings
from workers.web.access.person import Person, Role

_MAX_NAME_CHARACTERS: Final = 100
_DISCOVERY_PATH: Final = "/.well-known/openid-configuration"


def make_provider_client(settings: Settings) -> Any:
    """Return the client for the provider of the settings; `None` where none is named."""
    if not settings.oidc_issuer:
        return None

    secret = settings.oidc_client_secret
    oauth = OAuth()
    return oauth.register(
        "provider",
        server_metadata_url=settings.oidc_issuer.rstrip("/") + _DISCOVERY_PATH,
        client_id=settings.oidc_client,
        client_secret=secret.get_secret_value() if secret else None,
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "timeout": 10,
        },
    )


class WrongAudience(Exception):
    """A provider vouches for somebody to another program than this one."""


def choose_claims(
    claims: Mapping[str, Any], further: Mapping[str, Any], client: str
) -> dict[str, Any]:
    """Return what a signed ID token says, and what it leaves out as the provider says it besides.

    An address is only as verified as the same of the two says. Raises `WrongAudience` for a
    token that is not for `client`.
    """
    audience = claims.get("aud")
    if client not in (audience if isinstance(audience, list) else [audience]):
        raise WrongAudience

    # what is told besides may be of nobody else
    if further.get("sub") != claims.get("sub"):
        return dict(claims)
    source = claims if "email" in claims else further
    is_verified = source.get("email_verified")
    return {**further, **claims, "email_verified": is_verified}


def recognise_person(claims: Mapping[str, Any], settings: Settings) -> Person:
    """Return who a provider says that somebody is, with the highest role that is theirs.

    An address that the provider has not verified says nothing: anybody may have written it.
    """
    words = set(_iter_words(claims))
    role = Role.READER
    if words & set(settings.oidc_reviewers):
        role = Role.REVIEWER
    if words & set(settings.oidc_operators):
        role = Role.OPERATOR

    name = str(_find_address(claims) or claims.get("sub", ""))
    printable = "".join(character for character in name if character.isprintable())
    return Person(name=printable.strip()[:_MAX_NAME_CHARACTERS], role=role)


def _iter_words(claims: Mapping[str, Any]) -> Iterable[str]:
    """Yield what the settings may name a person by."""
    yield f"sub:{claims.get('sub', '')}"
    address = _find_address(claims)
    if address:
        yield address
    for claim, kind in (("groups", "group"), ("roles", "role")):
        names = claims.get(claim)
        for name in names if isinstance(names, list) else ():
            yield f"{kind}:{name}"


def _find_address(claims: Mapping[str, Any]) -> str:
    is_verified = claims.get("email_verified") is True
    return str(claims.get("email") or "") if is_verified else ""
