"""SQLite engine, transactions on either database, and advisory locks."""

from __future__ import annotations

import fcntl
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, select
from sqlalchemy.exc import DBAPIError

from crawler.errors import DiskFull
from storage.errors import HomeReadOnly, StoreLocked

_BUSY_TIMEOUT_SECONDS: Final = 60
_DISK_FULL_CODES: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
)
_LOCKED_CODES: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_READ_ONLY_CODES: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_PRIMARY_CODE: Final = 0xFF
"""The bits of an error's code that say its kind; those above say which of that kind."""
_LOCK_NAMESPACE: Final = 0x6B73
"""First of the two keys of every advisory lock: apart from other users of the server."""


class AdvisoryLock(IntEnum):
    """Advisory locks of writers on Postgres; SQLite has one writer at a time for everything."""

    SCHEMA = 1
    TASKS = 2
    """Dependencies between tasks and the tasks of crawls: exclusive for whoever changes them,
    shared for whoever ends a task.
    """
    INDEX = 3
    DISPATCH = 4
    BLOBS = 5
    """Blobs and the rows of their locations: shared for storing, exclusive for erasing."""
    COPIES = 6
    """The groups of near copies: exclusive for whoever makes them anew."""


def create_sqlite_engine(path: Path) -> Engine:
    """Return an engine on the file `path`; each process opens its own."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": _BUSY_TIMEOUT_SECONDS},
    )
    event.listen(engine, "connect", _configure_connection)
    event.listen(engine, "begin", _begin_transaction)
    return engine


def _configure_connection(connection: Any, _record: object) -> None:
    # transactions begin where we say so, not where the driver guesses
    connection.isolation_level = None
    # With NORMAL a power cut may take the last commits back, but never tears one: the tasks
    # behind them run again, and blobs were synced before the rows that name them. A killed
    # process loses nothing that it committed.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_transaction(connection: Connection) -> None:
    mode = connection.get_execution_options().get("begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {mode}")


def is_embedded(engine: Engine) -> bool:
    """Return whether the database is a file of this machine."""
    return engine.dialect.name == "sqlite"


@contextmanager
def read_transaction(engine: Engine) -> Iterator[Connection]:
    """Give a connection on one consistent state.

    Keep it short: on SQLite it holds back the checkpoint of the write-ahead log.
    """
    options: dict[str, Any] = {}
    if not is_embedded(engine):
        options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}

    with (
        translate_errors(engine),
        engine.connect().execution_options(**options) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def write_transaction(
    engine: Engine, advisory_lock: AdvisoryLock | None = None, *, shared: bool = False
) -> Iterator[Connection]:
    """Give a connection that writes; all of it is committed, or none.

    On Postgres it holds `advisory_lock`, exclusively or `shared`. Raises `DiskFull`,
    `StoreLocked` and `StoreUnavailable`.
    """
    with (
        translate_errors(engine),
        # IMMEDIATE takes SQLite's write lock now: a transaction that reads first and writes
        # later could not wait for another writer, only fail
        engine.connect().execution_options(begin="IMMEDIATE") as connection,
        connection.begin(),
    ):
        if advisory_lock is not None:
            acquire_advisory_lock(connection, advisory_lock, shared=shared)
        yield connection


@contextmanager
def single_statement(engine: Engine) -> Iterator[Connection]:
    """Give a connection for one statement that is a transaction by itself.

    A server is then asked once instead of three times (BEGIN, statement, COMMIT).
    """
    if is_embedded(engine):
        with write_transaction(engine) as connection:
            yield connection
        return

    with (
        translate_errors(engine),
        engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
    ):
        yield connection


def acquire_advisory_lock(
    connection: Connection, advisory_lock: AdvisoryLock, *, shared: bool = False
) -> None:
    """Wait for `advisory_lock` and hold it to the end of the transaction."""
    if connection.dialect.name == "sqlite":
        return

    acquire = func.pg_advisory_xact_lock
    if shared:
        acquire = func.pg_advisory_xact_lock_shared

    connection.execute(select(acquire(_LOCK_NAMESPACE, int(advisory_lock))))


@contextmanager
def try_locked_transaction(
    engine: Engine, advisory_lock: AdvisoryLock
) -> Iterator[Connection | None]:
    """Give a connection that writes, or `None` where another process holds `advisory_lock`."""
    with write_transaction(engine) as connection:
        is_acquired = is_embedded(engine)
        if not is_acquired:
            acquire = func.pg_try_advisory_xact_lock(
                _LOCK_NAMESPACE, int(advisory_lock)
            )
            is_acquired = bool(connection.scalar(select(acquire)))

        yield connection if is_acquired else None


@contextmanager
def hold_advisory_lock(
    engine: Engine, advisory_lock: AdvisoryLock, *, shared: bool = False
) -> Iterator[None]:
    """Hold `advisory_lock`, exclusively or `shared`, over many transactions or none."""
    if is_embedded(engine):
        with _hold_file_lock(engine, advisory_lock, shared=shared):
            yield
        return

    if shared:
        acquire, release = func.pg_advisory_lock_shared, func.pg_advisory_unlock_shared
    else:
        acquire, release = func.pg_advisory_lock, func.pg_advisory_unlock

    with (
        translate_errors(engine),
        engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
    ):
        connection.execute(select(acquire(_LOCK_NAMESPACE, int(advisory_lock))))
        try:
            yield
        finally:
            # it belongs to the session, which the pool keeps open: it would outlive our use
            # of the connection
            connection.execute(select(release(_LOCK_NAMESPACE, int(advisory_lock))))


@contextmanager
def _hold_file_lock(
    engine: Engine, advisory_lock: AdvisoryLock, *, shared: bool
) -> Iterator[None]:
    path = Path(f"{engine.url.database}.{advisory_lock.name.lower()}")
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield


def create_server_clock(engine: Engine) -> Callable[[], float]:
    """Return a clock that shows the server's time, in seconds since 1970.

    Hosts whose own clocks differ then agree on when a lease expires, and one that is set while
    we run changes nothing: time goes on by the clock that runs from the start of the machine.
    """
    server_time = select(func.extract("epoch", func.clock_timestamp()))
    with read_transaction(engine) as connection:
        before = _read_uptime()
        server_seconds = float(connection.scalar(server_time) or 0)
        # the answer is taken to belong to the middle of the round trip
        offset = server_seconds - (before + _read_uptime()) / 2

    return lambda: _read_uptime() + offset


def _read_uptime() -> float:
    # unlike the monotonic clock it counts the time that a machine slept
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@contextmanager
def translate_errors(engine: Engine) -> Iterator[None]:
    """Raise our own errors in place of those of the driver that are no bugs."""
    try:
        yield
    except DBAPIError as error:
        if is_embedded(engine):
            translation = _translate_sqlite_error(error, engine.url.database)
        else:
            # psycopg is imported only where there is a server
            from storage.database.postgres import translate_error

            translation = translate_error(error)
        if translation is None:
            raise
        raise translation from error


def _translate_sqlite_error(error: DBAPIError, path: str | None) -> Exception | None:
    code = getattr(error.orig, "sqlite_errorcode", 0)
    if code in _DISK_FULL_CODES:
        return DiskFull(
            f"The database cannot grow ({error.orig}); free some space and run again."
        )

    if code in _LOCKED_CODES:
        return StoreLocked(
            f"Another process held the database for over {_BUSY_TIMEOUT_SECONDS} s;"
            " see what runs, and try again."
        )

    if code & _PRIMARY_CODE in _READ_ONLY_CODES:
        return HomeReadOnly(
            f"{path} cannot be written ({error.orig}): see to whom its folder belongs and"
            " how it is mounted, or set KERNELSET_HOME to another."
        )

    return None
