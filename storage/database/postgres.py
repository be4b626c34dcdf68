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
    # whoever waits longer than this for a lock does better to try again
    "lock_timeout": "60s",
    # a process that stands still may hold no lock for ever
    "idle_in_transaction_session_timeout": "300s",
    # compiling a statement costs more than running any of ours
    "jit": "off",
}
_UNAVAILABLE_ERRORS: Final = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.ConnectionException,
    errors.TooManyConnections,
    errors.IdleInTransactionSessionTimeout,
)
_LOCKED_ERRORS: Final = (
    errors.DeadlockDetected,
    errors.LockNotAvailable,
    errors.SerializationFailure,
)
_REFUSED_ERRORS: Final = (
    errors.InvalidPassword,
    errors.InvalidAuthorizationSpecification,
    errors.InvalidCatalogName,
)
_MAX_MESSAGE_CHARACTERS: Final = 300
COLLATION_QUERY: Final = (
    "SELECT datcollate, datctype, pg_encoding_to_char(encoding)"
    " FROM pg_database WHERE datname = current_database()"
)
"""Returns the row that `check_collation` takes."""


def create_postgres_engine(address: str) -> Engine:
    """Return an engine on the database at `address`, a `postgresql://` URL.

    Raises `Misconfigured` for any other address.
    """
    url = _parse_address(address)
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
    event.listen(engine, "connect", _configure_connection)

    return engine


def _parse_address(address: str) -> URL:
    try:
        url = make_url(address)
    except ArgumentError:
        url = None

    if url is None or url.get_backend_name() != "postgresql":
        raise Misconfigured(
            "the setting `database` is no address of Postgres:"
            " write postgresql://USER:PASSWORD@HOST/NAME",
            code="bad-database",
        )

    return url.set(drivername=DRIVER)


class _TextDumper(StrDumper):
    """Replaces NUL, which Postgres's text cannot hold and a stranger's source may."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\ufffd"))


def _configure_connection(connection: Any, _record: object) -> None:
    connection.adapters.register_dumper(str, _TextDumper)


def copy_rows(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert `rows` by COPY.

    The first row says which columns; those that it leaves out get the server's default.
    """
    columns = tuple(rows[0])
    column_list = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table.name), column_list
    )
    driver: Any = connection.connection.driver_connection

    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row([row[name] for name in columns])
    except Error as error:
        # the same exception that SQLAlchemy raises for its own statements
        raise DBAPIError(f"COPY {table.name}", None, error) from error


def translate_error(error: DBAPIError) -> Exception | None:
    """Return our error for one of the driver, `None` where it is a bug of ours."""
    cause = error.orig
    if isinstance(cause, errors.DiskFull):
        return DiskFull(
            f"The database cannot grow ({_summarize(cause)});"
            " free some space and run again."
        )

    if isinstance(cause, _LOCKED_ERRORS):
        return StoreLocked(
            f"Others held what was to be written ({_summarize(cause)});"
            " see what runs, and try again."
        )

    if isinstance(cause, _REFUSED_ERRORS):
        return Misconfigured(
            f"The database refuses us ({_summarize(cause)}):"
            " mend the setting `database`.",
            code="bad-credentials",
        )

    if _is_unavailable(error):
        return StoreUnavailable(
            f"The database does not answer ({_summarize(cause)});"
            " see that it runs, and try again."
        )

    return None


def _is_unavailable(error: DBAPIError) -> bool:
    cause = error.orig
    if isinstance(cause, _UNAVAILABLE_ERRORS) or error.connection_invalidated:
        return True
    # a failure to connect has no SQLSTATE: the server's reason is only in the text
    return isinstance(cause, errors.OperationalError) and cause.sqlstate is None


def _summarize(cause: BaseException | None) -> str:
    return " ".join(str(cause).split())[:_MAX_MESSAGE_CHARACTERS]


def check_collation(row: tuple[str, str, str]) -> None:
    """Raise `Misconfigured` unless the database orders text by its bytes.

    Paging relies on it, as SQLite and the in-memory index order that way. `row` is a result of
    `COLLATION_QUERY`.
    """
    collation, character_type, encoding = row
    is_bytewise = collation in ("C", "POSIX") and character_type in ("C", "POSIX")
    if is_bytewise and encoding == "UTF8":
        return

    raise Misconfigured(
        f"The database sorts by {collation} in {encoding}, and Kernelset needs C in UTF8:"
        " make it by `createdb --template=template0 --encoding=UTF8 --locale=C NAME`.",
        code="bad-collation",
    )
