"""Check the schema version when a database is opened, and run migrations."""

from __future__ import annotations

import fcntl
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect

from crawler.errors import Misconfigured
from storage.database.engine import AdvisoryLock, read_transaction, write_transaction

HEAD_REVISION = "0010"
"""The newest migration; a test holds it equal to what lies in `migrations/versions`."""
MIGRATIONS_FOLDER = Path(__file__).parents[1] / "migrations"


def schema_version(engine: Engine) -> str:
    """Return the version of the database; empty for one without tables."""
    with read_transaction(engine) as connection:
        return _version(connection)


def _version(connection: Connection) -> str:
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return str(
        connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
        or ""
    )


def migrate_embedded(engine: Engine, lock_file: Path) -> None:
    """Bring an embedded database to `HEAD`; of several processes at once, one does it and the
    others wait.

    Raises `Misconfigured` for a database that a newer version made.
    """
    if schema_version(engine) == HEAD_REVISION:
        return
    with lock_file.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        found = schema_version(engine)
        if found != HEAD_REVISION:
            _upgrade(engine, found)


def require_current(engine: Engine) -> None:
    """Raise `Misconfigured` where a server's database has not this version's tables."""
    found = schema_version(engine)
    if found == HEAD_REVISION:
        return
    raise Misconfigured(
        f"The database has version {found or '(none)'} and this Kernelset needs {HEAD_REVISION}: run `kernelset db upgrade` "
        "with the newer of the two Kernelsets, while no worker runs.",
        code="database-version",
    )


def upgrade_database(engine: Engine) -> str:
    """Bring a server's database to `HEAD`, one process at a time, and return the version that
    it had.

    Raises `Misconfigured` for a database that a newer version made, or that sorts text
    otherwise.
    """
    from storage.database.postgres import COLLATION_QUERY, check_collation

    with write_transaction(engine, AdvisoryLock.SCHEMA) as connection:
        collation, kind, encoding = connection.exec_driver_sql(COLLATION_QUERY).one()
        check_collation((collation, kind, encoding))
        found = _version(connection)
        if found != HEAD_REVISION:
            _migrated(connection, found)
    return found


def _upgrade(engine: Engine, found: str) -> None:
    with engine.connect() as connection:
        connection.connection.execute("PRAGMA journal_mode = WAL")
    with write_transaction(engine) as connection:
        _migrated(connection, found)


def _migrated(connection: Connection, found: str) -> None:
    # alembic costs half a second to import, and is needed once in the life of a database
    from alembic.util import CommandError

    try:
        run_migrations(connection)
    except CommandError as error:
        raise Misconfigured(
            f"The database has version {found or '(none)'}, which this Kernelset does not know; upgrade Kernelset."
        ) from error


def run_migrations(connection: Connection) -> None:
    """Upgrade to `HEAD` within the transaction of `connection`."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
