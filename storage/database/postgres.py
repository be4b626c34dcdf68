"""Postgres engine, translation of driver errors, COPY, and the check of the collation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from psycopg import Error, errors, sql
from psycopg.types.string import StrDumper
from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from crawler.errors import DiskFull, Misconfigured
from storage.errors import StoreLocked, StoreUnavailable

DRIVER: Final = "postgresql+psycopg"
_SETTINGS: Final = {
    # who waits longer than this for another's lock does better to try again
    "lock_timeout": "60s",
    # a process that stands still may hold no lock for ever
    "idle_in_transaction_session_timeout": "300s",
    # compiling a statement costs more than any of ours takes
    "jit": "off",
}
_AWAY: Final = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.ConnectionException,
    errors.TooManyConnections,
    errors.IdleInTransactionSessionTimeout,
)
_LOCKED: Final = (
    errors.DeadlockDetected,
    errors.LockNotAvailable,
    errors.SerializationFailure,
)
COLLATION_QUERY: Final = "SELECT datcollate, datctype, pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()"
"""What `check_collation` is told."""


def create_postgres_engine(address: str) -> Engine:
    """Return an engine on the database at `address`, a `postgresql://` URL; raises
    `Misconfigured` for another.
    """
    url = _url(address)
    options = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
    arguments = {
        "connect_timeout": 10,
        "options": options,
        "application_name": "kernelset",
        "keepalives_idle": 30,
    }
    engine = create_engine(
        url, connect_args=arguments, pool_size=4, max_overflow=8, pool_recycle=1800
    )
    event.listen(engine, "connect", _configure)
    return engine


def _url(address: str) -> URL:
    try:
        url = make_url(address)
    except ArgumentError:
        url = None
    if url is None or url.get_backend_name() != "postgresql":
        raise Misconfigured(
            "the setting `database` is no address of Postgres: write postgresql://USER:PASSWORD@HOST/NAME",
            code="bad-database",
        )
    return url.set(drivername=DRIVER)


class _Text(StrDumper):
    """Text as Postgres takes it: it knows no NUL, and a stranger's source may hold one."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\ufffd"))


def _configure(connection: Any, _record: object) -> None:
    connection.adapters.register_dumper(str, _Text)


def copy_rows(
    connection: Connection, target: Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert rows by COPY; the first says which columns, and what it leaves out gets the
    server's default.
    """
    columns = tuple(rows[0])
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(target.name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    driver: Any = connection.connection.driver_connection
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row([row[name] for name in columns])
    except Error as error:
        # told as SQLAlchemy tells of its own statements
        raise DBAPIError(f"COPY {target.name}", None, error) from error


def translate_error(error: DBAPIError) -> Exception | None:
    """Return what an error of the driver means to us, `None` where it is a bug."""
    cause = error.orig
    if isinstance(cause, errors.DiskFull):
        return DiskFull(
            f"The database cannot grow ({_line(cause)}); free some space and run again."
        )
    if isinstance(cause, _LOCKED):
        return StoreLocked(
            f"Others held what was to be written ({_line(cause)}); see what runs, and try again."
        )
    if isinstance(
        cause,
        errors.InvalidPassword
        | errors.InvalidAuthorizationSpecification
        | errors.InvalidCatalogName,
    ):
        return _refused(cause)
    if (
        isinstance(cause, _AWAY)
        or error.connection_invalidated
        or _has_no_connection(error)
    ):
        return StoreUnavailable(
            f"The database does not answer ({_line(cause)}); see that it runs, and try again."
        )
    return None


def _has_no_connection(error: DBAPIError) -> bool:
    # a failure to connect has no SQLSTATE: what the server said of it is only in the text
    cause = error.orig
    return isinstance(cause, errors.OperationalError) and cause.sqlstate is None


def _refused(cause: BaseException) -> Misconfigured:
    return Misconfigured(
        f"The database refuses us ({_line(cause)}): mend the setting `database`.",
        code="bad-credentials",
    )


def _line(cause: BaseException | None) -> str:
    return " ".join(str(cause).split())[:300]


def check_collation(row: tuple[str, str, str]) -> None:
    """Raise `Misconfigured` unless the database orders text by its bytes, as paging and our
    other stores do.
    """
    collation, kind, encoding = row
    if (
        collation not in ("C", "POSIX")
        or kind not in ("C", "POSIX")
        or encoding != "UTF8"
    ):
        raise Misconfigured(
            f"The database sorts by {collation} in {encoding}, and Kernelset needs C in UTF8: make it by "
            "`createdb --template=template0 --encoding=UTF8 --locale=C NAME`.",
            code="bad-collation",
        )
