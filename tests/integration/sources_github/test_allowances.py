"""Both kinds of limit of a GitHub, and tokens that share one."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from crawler.errors import BadCredentials, RateLimited, ToolFailed
from crawler.sources.options import InMemoryAnswers, SourceOptions
from crawler.sources.providers.github import PLUGIN
from tests.integration.sources_github.listing import KERNEL, names
from tests.servers.github.state import GitHub

pytestmark = pytest.mark.apt("git")


def tokens(folder: Path, *words: str) -> Path:
    file = folder / "tokens"
    file.write_text("# mine\n" + "\n".join(words) + "\n")
    return file


def test_a_spent_allowance_says_when_it_comes_back_by_the_servers_clock(
    github: GitHub, terms: SourceOptions
) -> None:
    github.add("waves", "tide")
    github.allowance, github.skew = 1, 5_000.0
    github.resets_at = time.time() + 100
    with pytest.raises(RateLimited) as caught:
        names(terms)
    assert 90 < caught.value.retry_after <= 101
    assert len(github.requests) == 1


def test_whoever_comes_later_waits_without_asking(
    github: GitHub, terms: SourceOptions
) -> None:
    github.add("waves", "tide")
    github.secondary, github.retry_after = 1, 30
    for _ in range(3):
        with pytest.raises(RateLimited) as caught:
            names(terms)
        assert 20 < caught.value.retry_after <= 30
    assert len(github.requests) == 1
    assert names(replace(terms, memory=InMemoryAnswers())) == ["tide"]


@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_without_a_time_rests_a_minute(
    github: GitHub, terms: SourceOptions, status: int
) -> None:
    github.add("waves", "tide")
    github.secondary, github.retry_after, github.secondary_status = 1, None, status
    with pytest.raises(RateLimited) as caught:
        names(terms)
    assert 50 < caught.value.retry_after <= 60


@pytest.mark.parametrize("after", [10**11, 10**30])
def test_a_server_is_not_believed_that_asks_for_ever(
    github: GitHub, terms: SourceOptions, after: int
) -> None:
    sys.set_int_max_str_digits(0)
    github.add("waves", "tide")
    github.secondary, github.retry_after = 1, after
    with pytest.raises(RateLimited) as caught:
        names(terms)
    assert caught.value.retry_after <= 7200


def test_tokens_of_one_user_share_an_allowance_and_another_users_goes_on(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    for number in range(450):
        github.add("waves", f"r{number:03}")
    github.users = {"tok-a": "ann", "tok-b": "ann", "tok-c": "bob"}
    # each user is asked for twice at most to know who it is: ann has 4 of her 6 left, bob 5
    github.allowance = 6
    terms = replace(terms, github_tokens=tokens(tmp_path, "tok-a", "tok-b", "tok-c"))
    assert len(names(terms)) == 450
    users = [
        request.user
        for request in github.requests
        if request.path.endswith("/user") is False
    ]
    assert set(users) == {"ann", "bob"}
    assert all(github.spent[user] <= 6 for user in ("ann", "bob"))


def test_a_refused_token_is_dropped_and_the_last_one_stops_the_worker(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    github.add("waves", "tide")
    github.users = {"good": "ann"}
    assert names(replace(terms, github_tokens=tokens(tmp_path, "expired", "good"))) == [
        "tide"
    ]
    with pytest.raises(BadCredentials) as caught:
        names(replace(terms, github_tokens=tokens(tmp_path, "expired-too")))
    assert "expired-too" not in str(caught.value)
    for content in ("", "two words\n"):
        with pytest.raises(BadCredentials) as caught:
            names(replace(terms, github_tokens=tokens(tmp_path, content)))
        assert "words" not in str(caught.value)


def test_an_installation_of_an_app_signs_for_its_own_allowance(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    key = signing_key()
    (tmp_path / "app.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    (tmp_path / "other.pem").write_text("no key\n")
    github.app, github.users = "4711", {"tok-a": "ann"}
    github.app_key = (
        key.public_key()
        .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )
    for number in range(150):
        github.add("waves", f"r{number:03}")
    github.allowance = 3
    lines = f"app:4711:9:{tmp_path / 'app.pem'}", "tok-a"
    assert len(names(replace(terms, github_tokens=tokens(tmp_path, *lines)))) == 150
    assert {request.user for request in github.requests} == {"ann", "installation-9"}
    for wrong in (
        f"app:4712:9:{tmp_path / 'app.pem'}",
        f"app:4711:9:{tmp_path / 'other.pem'}",
        "app:4711:9:/absent",
    ):
        with pytest.raises(BadCredentials):
            names(replace(terms, github_tokens=tokens(tmp_path, wrong)))


def signing_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def test_a_token_goes_to_its_own_server_only(
    github: GitHub, terms: SourceOptions, tmp_path: Path
) -> None:
    made = github.add("waves", "tide", {"a.cu": KERNEL})
    github.users = {"secret-token": "ann"}
    terms = replace(terms, github_tokens=tokens(tmp_path, "secret-token"))
    github.rename(made, "swell")
    github.port, port = 1, github.port
    try:
        with pytest.raises(ToolFailed) as caught:
            list(PLUGIN.list("github:waves/tide", terms))
    finally:
        github.port = port
    assert caught.value.code == "led-away"
    assert "secret-token" not in str(caught.value)
