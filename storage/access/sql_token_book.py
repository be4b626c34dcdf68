"""Tokens by which people log in, in SQL; only their digests are kept."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, Row, delete, insert, or_, select

from storage.database.engine import read_transaction, write_transaction
from storage.tables import ACCESS_TOKEN

_TOKEN_PREFIX: Final = "kst_"  # noqa: S105
"""By which a search for secrets recognises one."""
_TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEntry:
    """What is known of a token."""

    digest: str
    name: str
    """Of the person who has it."""
    role: str
    created_at: float
    expires_at: float
    """Seconds since 1970; 0 for never."""


class SqlTokenBook:
    """The tokens, in an SQL database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def add(self, name: str, role: str, *, lifetime_seconds: float = 0.0) -> str:
        """Make a token for a person, and return it: it cannot be had again."""
        token = _TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)
        now = self._clock()
        row = {
            "digest": digest_token(token),
            "name": name,
            "role": role,
            "created_at": now,
            "expires_at": now + lifetime_seconds if lifetime_seconds else 0.0,
        }
        with write_transaction(self._engine) as connection:
            connection.execute(insert(ACCESS_TOKEN).values(row))
        return token

    def find(self, digest: str) -> TokenEntry | None:
        """Return the token of a digest, `None` where it was revoked or has expired."""
        columns = ACCESS_TOKEN.c
        is_alive = or_(columns.expires_at == 0, columns.expires_at > self._clock())
        statement = select(ACCESS_TOKEN).where(columns.digest == digest, is_alive)
        with read_transaction(self._engine) as connection:
            row = connection.execute(statement).first()
        return _make_entry(row) if row else None

    def tokens(self) -> tuple[TokenEntry, ...]:
        """Return all tokens, expired ones included, by name and age."""
        columns = ACCESS_TOKEN.c
        statement = select(ACCESS_TOKEN)
        statement = statement.order_by(columns.name, columns.created_at, columns.digest)
        with read_transaction(self._engine) as connection:
            rows = connection.execute(statement).all()
        return tuple(map(_make_entry, rows))

    def revoke(self, name: str) -> int:
        """Remove all tokens of a person, which end their sessions; returns how many."""
        is_of_person = ACCESS_TOKEN.c.name == name
        with write_transaction(self._engine) as connection:
            return connection.execute(delete(ACCESS_TOKEN).where(is_of_person)).rowcount


def digest_token(token: str) -> str:
    """Return the digest by which a token is found; it has too many bits to be guessed from it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _make_entry(row: Row[tuple[object, ...]]) -> TokenEntry:
    return TokenEntry(**row._asdict())
