"""The embedded database: how it is opened, read and written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError

from crawler.errors import DiskFull
from storage.errors import StoreLocked

_BUSY_SECONDS = 60
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE)
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def sqlite_engine(path: Path) -> Engine:
    """Return an engine on the file `path`; each process opens its own."""
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": _BUSY_SECONDS})
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection on one consistent state; keep it short, for it holds back the log's checkpoint."""
    with _translated(), engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give a connection that holds the write lock from the start; all of it is committed, or none.

    Raises `DiskFull` and `StoreLocked`.
    """
    with _translated(), engine.connect().execution_options(begin="IMMEDIATE") as connection, connection.begin():
        yield connection


def _configure(connection: Any, _record: object) -> None:
    # transactions begin where we say so, not where the driver guesses
    connection.isolation_level = None
    # a power cut may take the last commits back, never tear one: the tasks behind them run again, and
    # blobs were synced before the rows that name them. A killed process loses nothing that it committed.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('begin', 'DEFERRED')}")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        code = getattr(error.orig, "sqlite_errorcode", 0)
        if code in _FULL:
            raise DiskFull(f"The database cannot grow ({error.orig}); free some space and run again.") from error
        if code in _LOCKED:
            raise StoreLocked(
                f"Another process held the database for over {_BUSY_SECONDS} s; see what runs, and try again."
            ) from error
        raise
