"""Tokens of people: shown once, found by their digest, gone when they expire or are revoked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from storage.access.sql_token_book import SqlTokenBook, digest_token
from storage.database.engine import create_sqlite_engine

YEAR = 365 * 86400.0


@dataclass
class Tokens:
    """A book of tokens in a real file, at a time that a test sets."""

    engine: Engine
    now: float = 1000.0

    def __post_init__(self) -> None:
        self.book = SqlTokenBook(self.engine, lambda: self.now)

    def role_of(self, token: str) -> str:
        entry = self.book.find(digest_token(token))
        return entry.role if entry else ""


@pytest.fixture
def tokens(tmp_path: Path, migrated_database: Path) -> Iterator[Tokens]:
    path = tmp_path / "kernelset.db"
    path.write_bytes(migrated_database.read_bytes())
    engine = create_sqlite_engine(path)
    yield Tokens(engine)
    engine.dispose()


def test_a_token_is_found_with_all_that_is_known_of_it(tokens: Tokens) -> None:
    token = tokens.book.add("ada", "reviewer", lifetime_seconds=60)
    entry = tokens.book.find(digest_token(token))
    assert entry
    assert (entry.name, entry.role) == ("ada", "reviewer")
    assert (entry.created_at, entry.expires_at) == (1000.0, 1060.0)


@pytest.mark.parametrize(
    ("seconds_later", "role"), [(0, "reader"), (59.9, "reader"), (60, ""), (61, "")]
)
def test_a_token_ends_with_its_lifetime(
    tokens: Tokens, seconds_later: float, role: str
) -> None:
    token = tokens.book.add("ada", "reader", lifetime_seconds=60)
    tokens.now += seconds_later
    assert tokens.role_of(token) == role


def test_a_token_without_a_lifetime_never_ends(tokens: Tokens) -> None:
    token = tokens.book.add("ada", "reader")
    tokens.now += 100 * YEAR
    assert tokens.role_of(token) == "reader"


def test_an_expired_token_is_listed_until_it_is_revoked(tokens: Tokens) -> None:
    tokens.book.add("ada", "reader", lifetime_seconds=1)
    tokens.now += YEAR
    assert [entry.name for entry in tokens.book.tokens()] == ["ada"]
    assert tokens.book.revoke("ada") == 1
    assert tokens.book.tokens() == ()


def test_tokens_are_listed_by_name_and_then_by_age(tokens: Tokens) -> None:
    for name, role in (("bob", "first"), ("ada", "second"), ("bob", "third")):
        tokens.now += 1
        tokens.book.add(name, role)
    listed = [(entry.name, entry.role) for entry in tokens.book.tokens()]
    assert listed == [("ada", "second"), ("bob", "first"), ("bob", "third")]


def test_to_revoke_ends_all_tokens_of_that_person_alone(tokens: Tokens) -> None:
    mine = [tokens.book.add("ada", "reader") for _ in range(3)]
    hers = tokens.book.add("adam", "reviewer")
    assert tokens.book.revoke("ada") == 3
    assert [tokens.role_of(token) for token in mine] == ["", "", ""]
    assert tokens.role_of(hers) == "reviewer"
    assert tokens.book.revoke("ada") == 0


@pytest.mark.parametrize("name", ["%", "ad_", "ADA", "' OR ''='", "ada "])
def test_a_name_to_revoke_is_taken_literally(tokens: Tokens, name: str) -> None:
    token = tokens.book.add("ada", "reader")
    assert tokens.book.revoke(name) == 0
    assert tokens.role_of(token) == "reader"


def test_the_database_holds_no_token(tokens: Tokens) -> None:
    token = tokens.book.add("ada", "reader")
    with tokens.engine.connect() as connection:
        rows = connection.execute(text("SELECT * FROM access_token")).all()
    assert token not in repr(rows)
    assert digest_token(token) in repr(rows)


def test_a_digest_is_no_token(tokens: Tokens) -> None:
    """Who reads the database cannot log in with what stands there."""
    token = tokens.book.add("ada", "reader")
    assert tokens.role_of(digest_token(token)) == ""


def test_tokens_are_recognised_and_never_the_same(tokens: Tokens) -> None:
    made = {tokens.book.add("ada", "reader") for _ in range(20)}
    assert len(made) == 20
    assert all(token.startswith("kst_") for token in made)
    # 32 bytes in base64 behind the prefix
    assert {len(token) for token in made} == {len("kst_") + 43}


@given(token=st.text())
def test_whatever_is_sent_as_a_token_has_a_digest(token: str) -> None:
    assert len(digest_token(token)) == 64
    assert digest_token(token) == digest_token(token)
    assert digest_token(token) != digest_token(token + "x")


def test_half_a_character_is_a_wrong_token_and_no_error(tokens: Tokens) -> None:
    tokens.book.add("ada", "reader")
    assert tokens.role_of("\ud800") == ""
