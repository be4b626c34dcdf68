"""Check the schema version when a database is opened, and run migrations."""

from __future__ import annotations

import fcntl
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect

from crawler.errors import Misconfigured
from storage.database.engine import AdvisoryLock, read_transaction, write_transaction
from storage.database.versions import HEAD_REVISION

MIGRATIONS_FOLDER = Path(__file__).parents[1] / "migrations"


def schema_version(engine: Engine) -> str:
    """Return the version of the database; empty for one without tables."""
    with read_transaction(engine) as connection:
        return _read_version(connection)


def _read_version(connection: Connection) -> str:
    if not inspect(connection).has_table("alembic_version"):
        return ""
    rows = connection.exec_driver_sql("SELECT version_num FROM alembic_version")
    return str(rows.scalar() or "")


def migrate_embedded(engine: Engine, lock_file: Path) -> None:
    """Bring an embedded database to `HEAD_REVISION`.

    Of several processes at once, one migrates and the others wait. Raises `Misconfigured` for
    a database that a newer version made.
    """
    if schema_version(engine) == HEAD_REVISION:
        return

    with lock_file.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        # another process may have migrated while we waited
        version = schema_version(engine)
        if version != HEAD_REVISION:
            _upgrade_embedded(engine, version)


def require_current(engine: Engine) -> None:
    """Raise `Misconfigured` where the database of a server has another version than ours."""
    version = schema_version(engine)
    if version == HEAD_REVISION:
        return

    raise Misconfigured(
        f"The database has version {version or '(none)'}"
        f" and this Kernelset needs {HEAD_REVISION}: run `kernelset db upgrade`"
        " with the newer of the two Kernelsets, while no worker runs.",
        code="database-version",
    )


def upgrade_database(engine: Engine) -> str:
    """Bring the database of a server to `HEAD_REVISION` and return the version that it had.

    One process at a time does so. Raises `Misconfigured` for a database that a newer version
    made, or that does not sort text by its bytes.
    """
    # psycopg is imported only where there is a server
    from storage.database.postgres import COLLATION_QUERY, check_collation

    with write_transaction(engine, AdvisoryLock.SCHEMA) as connection:
        row = connection.exec_driver_sql(COLLATION_QUERY).one()
        collation, character_type, encoding = row
        check_collation((collation, character_type, encoding))
        version = _read_version(connection)
        if version != HEAD_REVISION:
            _migrate(connection, version)

    return version


def _upgrade_embedded(engine: Engine, version: str) -> None:
    with engine.connect() as connection:
        # the journal mode cannot change within a transaction
        connection.connection.execute("PRAGMA journal_mode = WAL")
    with write_transaction(engine) as connection:
        _migrate(connection, version)


def _migrate(connection: Connection, version: str) -> None:
    # alembic costs half a second to import, and is needed once in the life of a database
    from alembic.util import CommandError

    try:
        run_migrations(connection)
    except CommandError as error:
        raise Misconfigured(
            f"The database has version {version or '(none)'},"
            " which this Kernelset does not know; upgrade Kernelset."
        ) from error


def run_migrations(connection: Connection) -> None:
    """Upgrade to `HEAD_REVISION` within the transaction of `connection`."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    # `%` begins an interpolation in alembic's configuration
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
