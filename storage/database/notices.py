"""Notices that others committed changes: told by Postgres, seen in SQLite's counter."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, Protocol

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from storage.database.engine import is_embedded, translate_errors

if TYPE_CHECKING:
    from psycopg import Connection as Driver

WORK_CHANNEL: Final = "kernelset_work"
"""On which a server tells that tasks may have become due (see migration 0024)."""
_LOOK_SECONDS: Final = 0.1
"""How often SQLite's counter is read: it is a word in shared memory."""


class Notices(Protocol):
    """What came since it was last asked, from the moment that it was first asked."""

    def wait(self, seconds: float) -> bool:
        """Return as soon as there is a notice, or after `seconds`; tells which of the two.

        The first wait of a connection ends at once. Raises `StoreUnavailable`.
        """
        ...

    def close(self) -> None:
        """Listen no more."""
        ...


def open_work_notices(engine: Engine) -> Notices:
    """Return notices that tasks may have become due; on SQLite, that anything has changed."""
    if is_embedded(engine):
        return _CounterNotices(engine)
    return _ServerNotices(engine, WORK_CHANNEL)


class _ServerNotices:
    def __init__(self, engine: Engine, channel: str) -> None:
        self._engine = engine
        self._channel = channel
        self._connection: Connection | None = None

    def wait(self, seconds: float) -> bool:
        with translate_errors(self._engine):
            try:
                if self._connection is None:
                    self._connection = self._listen()
                    # nobody told us of what came before
                    return True
                return _receive(self._connection, seconds)
            except DBAPIError:
                self.close()
                raise

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            # one that listens is of no use to others: it does not go back to the pool
            connection.invalidate()
            connection.close()

    def _listen(self) -> Connection:
        connection = self._engine.connect()
        connection.execution_options(isolation_level="AUTOCOMMIT")
        try:
            connection.exec_driver_sql(f'LISTEN "{self._channel}"')
        except BaseException:
            connection.close()
            raise
        return connection


def _receive(connection: Connection, seconds: float) -> bool:
    from psycopg import Error

    driver: Driver[Any] = connection.connection.driver_connection  # type: ignore[assignment]
    try:
        # all that is there: a hundred notices are one reason to look
        return bool(list(driver.notifies(timeout=seconds, stop_after=1)))
    except Error as error:
        # the same exception that SQLAlchemy raises for its own statements
        raise DBAPIError("LISTEN", None, error) from error


class _CounterNotices:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._count = -1

    def wait(self, seconds: float) -> bool:
        ends_at = time.monotonic() + seconds
        while not self._has_changed():
            remaining = ends_at - time.monotonic()
            if remaining <= 0:
                return False
            time.sleep(min(remaining, _LOOK_SECONDS))
        return True

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _has_changed(self) -> bool:
        if self._connection is None:
            self._connection = self._engine.connect()

        # it counts what other connections commit, and is the same until one does
        driver: Any = self._connection.connection.driver_connection
        (count,) = driver.execute("PRAGMA data_version").fetchone()
        has_changed: bool = count != self._count
        self._count = count
        return has_changed
