"""A provider's word counts where it is for us, and of whom it is."""

from __future__ import annotations

from typing import Any

import pytest

from workers.config.settings import Settings
from workers.web.access.person import Role
from workers.web.access.provider import (
    WrongAudience,
    choose_claims,
    recognise_person,
)

SIGNED = {"sub": "7", "aud": "kernelset"}
VERIFIED = {"sub": "7", "email": "ada@example.org", "email_verified": True}


@pytest.mark.parametrize("audience", ["kernelset", ["other", "kernelset"]])
def test_a_token_for_us_is_taken(audience: object) -> None:
    claims = choose_claims({**SIGNED, "aud": audience}, VERIFIED, "kernelset")
    assert claims["email"] == "ada@example.org"


@pytest.mark.parametrize("audience", ["other", ["other"], [], "", None, "kernelset2"])
def test_a_token_for_another_program_is_not(audience: object) -> None:
    with pytest.raises(WrongAudience):
        choose_claims({**SIGNED, "aud": audience}, VERIFIED, "kernelset")


@pytest.mark.parametrize(
    ("signed", "further", "role"),
    [
        ({}, VERIFIED, Role.REVIEWER),
        ({}, {**VERIFIED, "sub": "8"}, Role.READER),
        # another address is verified than the one that the token has
        ({"email": "ada@example.org"}, {**VERIFIED, "email": "b@c.org"}, Role.READER),
        ({"email": "ada@example.org"}, VERIFIED, Role.READER),
        ({**VERIFIED}, {"sub": "7", "email_verified": False}, Role.REVIEWER),
    ],
)
def test_an_address_is_as_verified_as_its_own_source_says(
    signed: dict[str, Any], further: dict[str, Any], role: Role
) -> None:
    settings = Settings(oidc_reviewers=("ada@example.org",))
    claims = choose_claims({**SIGNED, **signed}, further, "kernelset")
    assert recognise_person(claims, settings).role is role


@pytest.mark.parametrize(
    ("claims", "role"),
    [
        ({"groups": ["staff", "judges"]}, Role.REVIEWER),
        ({"roles": ["operations"]}, Role.OPERATOR),
        ({"groups": ["judges"], "roles": ["operations"]}, Role.OPERATOR),
        # a role is no group, and a text is no list of them
        ({"groups": ["operations"], "roles": ["judges"]}, Role.READER),
        ({"groups": "judges", "roles": {"operations": True}}, Role.READER),
        ({}, Role.READER),
    ],
)
def test_a_role_is_that_of_a_claim(claims: dict[str, Any], role: Role) -> None:
    settings = Settings(
        oidc_reviewers=("group:judges",), oidc_operators=("role:operations",)
    )
    assert recognise_person({**SIGNED, **claims}, settings).role is role
