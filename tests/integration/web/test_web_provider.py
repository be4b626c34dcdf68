"""People log in through a real OpenID Connect provider, and have the roles that are theirs."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from storage.open import open_storage
from tests.web_client import fill_with_records, serving

PEOPLE = {
    "ada": {"email": "ada@example.org", "email_verified": True},
    "ola": {"email": "ola@example.org", "email_verified": True, "groups": ["gpu-ops"]},
    "eve": {"email": "ada@example.org", "email_verified": False},
    "bob": {},
}


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = Path(sys.executable).parent / "oidc-provider-mock"
    # a process of its own: what it warns of is its own affair
    process = subprocess.Popen(
        [program, "--port", str(port)], stderr=subprocess.DEVNULL
    )
    address = f"http://localhost:{port}"
    try:
        wait_for(address)
        for subject, claims in PEOPLE.items():
            answer = httpx.put(f"{address}/users/{subject}", json=claims)
            assert answer.is_success, answer.text
        yield address
    finally:
        process.terminate()
        process.wait(30)


def wait_for(address: str) -> None:
    for _ in range(300):
        try:
            httpx.get(f"{address}/.well-known/openid-configuration")
        except httpx.TransportError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError(address)


def log_in(tmp_path: Path, provider: str, subject: str, **settings: object) -> str:
    """Go the whole way there and back, and return the page that one ends at."""
    with serving(
        tmp_path,
        oidc_issuer=provider,
        oidc_client="kernelset",
        oidc_client_secret="hidden",
        oidc_reviewers=("ada@example.org",),
        oidc_operators=("group:gpu-ops",),
        **settings,
    ) as (client, storage):
        fill_with_records(storage)
        assert "through your organisation" in client.get("/login").text
        sent = client.get("/login/provider?next=/kernels")
        assert sent.status_code in (302, 303, 307)
        destination = sent.headers["location"]
        assert destination.startswith(provider)
        for word in ("code_challenge_method=S256", "state=", "nonce="):
            assert word in destination
        answered = httpx.post(destination, data={"sub": subject})
        back = urlsplit(answered.headers["location"])
        assert back.path == "/login/callback"
        ended = client.get(f"{back.path}?{back.query}")
        assert ended.status_code == 303, ended.text
        assert ended.headers["location"] == "/kernels"
        # the same answer of the provider is good for one login
        client.cookies.clear()
        assert client.get(f"{back.path}?{back.query}").status_code == 502
        client.cookies.update(ended.cookies)
        return client.get("/kernels").text


def read_who(page: str) -> str:
    match = re.search(r"<span>([^<]*)<small>\((\w+)\)", page)
    assert match, "nobody is logged in"
    return f"{match[1].strip()} {match[2]}"


@pytest.mark.parametrize(
    ("subject", "who"),
    [
        ("ada", "ada@example.org reviewer"),
        ("ola", "ola@example.org operator"),
        ("eve", "eve reader"),
        ("bob", "bob reader"),
    ],
)
def test_a_person_has_the_role_that_is_theirs(
    tmp_path: Path, provider: str, subject: str, who: str
) -> None:
    assert read_who(log_in(tmp_path, provider, subject)) == who


def test_an_answer_that_nobody_asked_for_logs_nobody_in(
    tmp_path: Path, provider: str
) -> None:
    settings = {"oidc_issuer": provider, "oidc_client": "kernelset"}
    with serving(tmp_path, **settings) as (client, _):
        answer = client.get("/login/callback?code=stolen&state=guessed")
        assert answer.status_code == 502
        assert "Log in" in client.get("/crawls").text


def test_a_provider_that_is_away_is_said(tmp_path: Path) -> None:
    with serving(tmp_path, oidc_issuer="http://127.0.0.1:9", oidc_client="k") as (
        client,
        _,
    ):
        answer = client.get("/login/provider")
        assert answer.status_code == 502
        assert "try again" in answer.text


def test_without_a_provider_there_is_nothing_to_go_to(tmp_path: Path) -> None:
    with open_storage(tmp_path):
        pass
    with serving(tmp_path) as (client, _):
        assert client.get("/login/provider").status_code == 404
        assert "organisation" not in client.get("/login").text
