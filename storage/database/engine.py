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
from storage.errors import StoreLocked

_BUSY_SECONDS = 60
_FULL = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
)
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_OURS: Final = 0x6B73
"""Our half of the keys of advisory locks."""


class AdvisoryLock(IntEnum):
    """What writers of Postgres take turns at; SQLite has one writer at a time for everything."""

    SCHEMA = 1
    TASKS = 2
    """Which task waits for which, and what crawl has which: who changes that is alone, who ends
    a task is not.
    """
    INDEX = 3
    DISPATCH = 4
    BLOBS = 5
    """Bytes and the rows that say where they lie: who stores shares it, who erases is alone."""


def create_sqlite_engine(path: Path) -> Engine:
    """Return an engine on the file `path`; each process opens its own."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": _BUSY_SECONDS},
    )
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


def is_embedded(engine: Engine) -> bool:
    """Tell whether the database is a file of this machine."""
    return engine.dialect.name == "sqlite"


@contextmanager
def read_transaction(engine: Engine) -> Iterator[Connection]:
    """Give a connection on one consistent state; keep it short, for it holds back the log's
    checkpoint.
    """
    options = (
        {}
        if is_embedded(engine)
        else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    )
    with (
        _translated(engine),
        engine.connect().execution_options(**options) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def write_transaction(
    engine: Engine, advisory_lock: AdvisoryLock | None = None, *, shared: bool = False
) -> Iterator[Connection]:
    """Give a connection that writes; all of it is committed, or none.

    On Postgres nobody else is at the same `advisory_lock` meanwhile, or only others who share
    it. Raises `DiskFull`,
    `StoreLocked` and `StoreAway`.
    """
    with (
        _translated(engine),
        engine.connect().execution_options(begin="IMMEDIATE") as connection,
        connection.begin(),
    ):
        if advisory_lock is not None:
            acquire_advisory_lock(connection, advisory_lock, shared=shared)
        yield connection


@contextmanager
def single_statement(engine: Engine) -> Iterator[Connection]:
    """Give a connection for one statement that is a transaction by itself: a server is asked
    once, not three times.
    """
    if is_embedded(engine):
        with write_transaction(engine) as connection:
            yield connection
        return
    with (
        _translated(engine),
        engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
    ):
        yield connection


def acquire_advisory_lock(
    connection: Connection, advisory_lock: AdvisoryLock, *, shared: bool = False
) -> None:
    """Wait until nobody else is at the `advisory_lock`, and hold it to the end of the
    transaction.
    """
    if connection.dialect.name != "sqlite":
        lock = (
            func.pg_advisory_xact_lock_shared if shared else func.pg_advisory_xact_lock
        )
        connection.execute(select(lock(_OURS, int(advisory_lock))))


@contextmanager
def try_locked_transaction(
    engine: Engine, advisory_lock: AdvisoryLock
) -> Iterator[Connection | None]:
    """Give a connection that writes, or `None` where somebody else is at the `advisory_lock`."""
    with write_transaction(engine) as connection:
        free = is_embedded(engine) or connection.scalar(
            select(func.pg_try_advisory_xact_lock(_OURS, int(advisory_lock)))
        )
        yield connection if free else None


@contextmanager
def hold_advisory_lock(
    engine: Engine, advisory_lock: AdvisoryLock, *, shared: bool = False
) -> Iterator[None]:
    """Keep the `advisory_lock` while the block runs, over many transactions or none; with
    others, if it is `shared`.
    """
    if is_embedded(engine):
        with Path(f"{engine.url.database}.{advisory_lock.name.lower()}").open(
            "a"
        ) as file:
            fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
            yield
        return
    lock = func.pg_advisory_lock_shared if shared else func.pg_advisory_lock
    free = func.pg_advisory_unlock_shared if shared else func.pg_advisory_unlock
    with (
        _translated(engine),
        engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
    ):
        connection.execute(select(lock(_OURS, int(advisory_lock))))
        try:
            yield
        finally:
            # of the session, not of a transaction: it would outlive our use of the connection
            connection.execute(select(free(_OURS, int(advisory_lock))))


def create_server_clock(engine: Engine) -> Callable[[], float]:
    """Return a clock that tells the server's time: hosts whose own clocks differ agree on when
    a lease runs out.
    """
    with read_transaction(engine) as connection:
        before = time.time()
        told = float(
            connection.scalar(select(func.extract("epoch", func.clock_timestamp())))
            or 0
        )
        ahead = told - (before + time.time()) / 2
    return lambda: time.time() + ahead


def _configure(connection: Any, _record: object) -> None:
    # transactions begin where we say so, not where the driver guesses
    connection.isolation_level = None
    # a power cut may take the last commits back, never tear one: the tasks behind them run
    # again, and
    # blobs were synced before the rows that name them. A killed process loses nothing that it
    # committed.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(
        f"BEGIN {connection.get_execution_options().get('begin', 'DEFERRED')}"
    )


@contextmanager
def _translated(engine: Engine) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        if is_embedded(engine):
            meant = _meant(error)
        else:
            # imported only where there is a server
            from storage.database.postgres import translate_error

            meant = translate_error(error)
        if meant is None:
            raise
        raise meant from error


def _meant(error: DBAPIError) -> Exception | None:
    code = getattr(error.orig, "sqlite_errorcode", 0)
    if code in _FULL:
        return DiskFull(
            f"The database cannot grow ({error.orig}); free some space and run again."
        )
    if code in _LOCKED:
        return StoreLocked(
            f"Another process held the database for over {_BUSY_SECONDS} s; see what runs, and try again."
        )
    return None
