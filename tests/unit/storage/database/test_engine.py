"""Transactions and locks on SQLite."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from storage.database import engine as engines
from storage.database.engine import (
    AdvisoryLock,
    create_sqlite_engine,
    hold_advisory_lock,
    is_embedded,
    read_transaction,
    single_statement,
    try_locked_transaction,
    write_transaction,
)
from storage.errors import StoreLocked


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_sqlite_engine(tmp_path / "test.db")
    with write_transaction(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE number (value INTEGER)")
    yield engine
    engine.dispose()


def insert(engine: Engine, value: int) -> None:
    with single_statement(engine) as connection:
        connection.exec_driver_sql("INSERT INTO number VALUES (?)", (value,))


def read_all(engine: Engine) -> list[int]:
    with read_transaction(engine) as connection:
        rows = connection.exec_driver_sql("SELECT value FROM number ORDER BY value")
        return [row[0] for row in rows]


def test_it_is_a_file_of_this_machine(engine: Engine) -> None:
    assert is_embedded(engine)


def test_a_block_that_fails_writes_nothing(engine: Engine) -> None:
    insert(engine, 1)

    def insert_and_fail() -> None:
        with write_transaction(engine) as connection:
            connection.exec_driver_sql("INSERT INTO number VALUES (2)")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        insert_and_fail()
    assert read_all(engine) == [1]


def test_a_reader_sees_one_state_whatever_is_written(engine: Engine) -> None:
    with engine.connect() as connection:
        connection.connection.execute("PRAGMA journal_mode = WAL")
    insert(engine, 1)
    query = "SELECT count(*) FROM number"
    with read_transaction(engine) as connection:
        before = connection.exec_driver_sql(query).scalar()
        insert(engine, 2)
        assert connection.exec_driver_sql(query).scalar() == before == 1
    assert read_all(engine) == [1, 2]


def test_foreign_keys_are_enforced(engine: Engine) -> None:
    with read_transaction(engine) as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_database_that_stays_locked_is_told_apart_from_a_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_BUSY_TIMEOUT_SECONDS", 0.05)
    engine = create_sqlite_engine(tmp_path / "locked.db")
    with (
        write_transaction(engine),
        pytest.raises(StoreLocked, match="see what runs"),
        write_transaction(engine),
    ):
        pass
    with pytest.raises(OperationalError), read_transaction(engine) as connection:
        connection.exec_driver_sql("SELECT * FROM missing")
    engine.dispose()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_FULL, "DiskFull"),
        (sqlite3.SQLITE_IOERR_FSYNC, "DiskFull"),
        (sqlite3.SQLITE_BUSY, "StoreLocked"),
        (sqlite3.SQLITE_CANTOPEN, "HomeReadOnly"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, "HomeReadOnly"),
        (sqlite3.SQLITE_CORRUPT, "NoneType"),
    ],
)
def test_errors_of_the_driver_become_ours(code: int, expected: str) -> None:
    cause = sqlite3.OperationalError("database or disk is full")
    cause.sqlite_errorcode = code
    error = DBAPIError("INSERT", None, cause)
    assert type(engines._translate_sqlite_error(error, "test.db")).__name__ == expected


def test_exclusive_locks_take_turns_and_shared_ones_do_not(engine: Engine) -> None:
    steps: list[str] = []
    has_started = threading.Event()

    def hold(name: str, *, shared: bool) -> None:
        has_started.set()
        with hold_advisory_lock(engine, AdvisoryLock.BLOBS, shared=shared):
            steps.append(name)

    with hold_advisory_lock(engine, AdvisoryLock.BLOBS, shared=True):
        sharing = threading.Thread(
            target=hold, args=("shared",), kwargs={"shared": True}
        )
        sharing.start()
        sharing.join(10)
        assert steps == ["shared"]

        has_started.clear()
        waiting = threading.Thread(
            target=hold, args=("exclusive",), kwargs={"shared": False}
        )
        waiting.start()
        assert has_started.wait(10)
        waiting.join(0.1)
        assert steps == ["shared"]
    waiting.join(10)
    assert steps == ["shared", "exclusive"]


def test_locks_of_different_names_are_apart(engine: Engine) -> None:
    held_locks: list[AdvisoryLock] = []

    def hold(advisory_lock: AdvisoryLock) -> None:
        with hold_advisory_lock(engine, advisory_lock):
            held_locks.append(advisory_lock)

    with hold_advisory_lock(engine, AdvisoryLock.BLOBS):
        other = threading.Thread(target=hold, args=(AdvisoryLock.DISPATCH,))
        same = threading.Thread(target=hold, args=(AdvisoryLock.BLOBS,), daemon=True)
        same.start()
        other.start()
        other.join(10)
        assert held_locks == [AdvisoryLock.DISPATCH]
    same.join(10)
    assert held_locks == [AdvisoryLock.DISPATCH, AdvisoryLock.BLOBS]


def test_sqlite_has_one_dispatcher_by_its_only_writer(engine: Engine) -> None:
    with try_locked_transaction(engine, AdvisoryLock.DISPATCH) as connection:
        assert connection is not None
        connection.exec_driver_sql("INSERT INTO number VALUES (7)")
    assert read_all(engine) == [7]
