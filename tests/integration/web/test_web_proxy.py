"""A page without a proxy believes nobody who says that they ask from elsewhere."""

from __future__ import annotations

from pathlib import Path

import httpx

from storage.open import open_storage
from tests.servers.web import serving


def test_nobody_guesses_under_many_addresses(tmp_path: Path) -> None:
    with open_storage(tmp_path):
        pass
    with serving(tmp_path) as address:
        answers = [
            httpx.post(
                f"{address}/login",
                data={"token": f"kst_{number}"},
                headers={"X-Forwarded-For": f"192.0.2.{number}"},
            )
            for number in range(12)
        ]
    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2
    policies = answers[0].headers.get_list("content-security-policy")
    assert len(policies) == 1
