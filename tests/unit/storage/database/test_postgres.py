"""Addresses, errors and collations of Postgres, without a server."""

from __future__ import annotations

import pytest
from psycopg import errors
from sqlalchemy.exc import DBAPIError

from crawler.errors import DiskFull, Misconfigured
from storage.database.postgres import (
    check_collation,
    create_postgres_engine,
    translate_error,
)
from storage.errors import StoreLocked, StoreUnavailable


def wrap(cause: Exception, *, is_disconnect: bool = False) -> DBAPIError:
    return DBAPIError("SELECT 1", None, cause, connection_invalidated=is_disconnect)


@pytest.mark.parametrize(
    "address", ["", "somewhere", "sqlite:///x", "mysql://host/name", "http://host"]
)
def test_only_an_address_of_postgres_is_taken(address: str) -> None:
    with pytest.raises(Misconfigured, match="write postgresql://") as refusal:
        create_postgres_engine(address)
    assert refusal.value.code == "bad-database"


def test_our_driver_is_used_whatever_the_address_says() -> None:
    for address in ("postgresql://u:p@h/n", "postgresql+psycopg2://u:p@h/n"):
        engine = create_postgres_engine(address)
        assert engine.url.drivername == "postgresql+psycopg"
        engine.dispose()


@pytest.mark.parametrize(
    ("cause", "expected", "code"),
    [
        (errors.DiskFull("no space"), DiskFull, "disk-full"),
        (errors.DeadlockDetected("dead"), StoreLocked, "store-locked"),
        (errors.LockNotAvailable("held"), StoreLocked, "store-locked"),
        (errors.SerializationFailure("again"), StoreLocked, "store-locked"),
        (errors.InvalidPassword("wrong"), Misconfigured, "bad-credentials"),
        (errors.InvalidCatalogName("none"), Misconfigured, "bad-credentials"),
        (errors.AdminShutdown("bye"), StoreUnavailable, "store-away"),
        (errors.TooManyConnections("full"), StoreUnavailable, "store-away"),
        (errors.OperationalError("refused"), StoreUnavailable, "store-away"),
    ],
)
def test_an_error_of_the_server_says_what_to_do(
    cause: Exception, expected: type[Exception], code: str
) -> None:
    translation = translate_error(wrap(cause))
    assert type(translation) is expected
    assert getattr(translation, "code", "") == code
    assert str(cause) in str(translation)


def test_a_lost_connection_counts_as_unavailable() -> None:
    lost = wrap(errors.InternalError("gone"), is_disconnect=True)
    assert isinstance(translate_error(lost), StoreUnavailable)


@pytest.mark.parametrize(
    "cause", [errors.SyntaxError("bug"), errors.UniqueViolation("twice")]
)
def test_a_bug_of_ours_is_not_disguised(cause: Exception) -> None:
    assert translate_error(wrap(cause)) is None


def test_a_long_message_is_one_short_line() -> None:
    translation = translate_error(wrap(errors.AdminShutdown("line\n" * 500)))
    assert "\n" not in str(translation)
    assert len(str(translation)) < 400


@pytest.mark.parametrize("collation", ["C", "POSIX"])
def test_order_by_bytes_is_accepted(collation: str) -> None:
    check_collation((collation, collation, "UTF8"))


@pytest.mark.parametrize(
    "row",
    [("en_US.UTF-8", "C", "UTF8"), ("C", "en_US.UTF-8", "UTF8"), ("C", "C", "LATIN1")],
)
def test_any_other_order_is_refused_with_the_remedy(row: tuple[str, str, str]) -> None:
    with pytest.raises(Misconfigured, match="createdb --template=template0") as refusal:
        check_collation(row)
    assert refusal.value.code == "bad-collation"
