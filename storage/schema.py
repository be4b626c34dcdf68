"""The version of the tables: compared on every opening, migrated only when it differs."""

from __future__ import annotations

import fcntl
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from crawler.errors import Misconfigured
from storage.engine import reading, writing

HEAD = "0006"
"""The newest migration; a test holds it equal to what lies in `migrations/versions`."""
MIGRATIONS = Path(__file__).parent / "migrations"


def version(engine: Engine) -> str:
    """Return the version of the database; empty for one without tables."""
    try:
        with reading(engine) as connection:
            found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    except OperationalError as error:
        if "no such table" in str(error):
            return ""
        raise
    return str(found or "")


def migrate(engine: Engine, lock: Path) -> None:
    """Bring an embedded database to `HEAD`; of several processes at once, one does it and the others wait.

    Raises `Misconfigured` for a database that a newer version made.
    """
    if version(engine) == HEAD:
        return
    with lock.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        found = version(engine)
        if found != HEAD:
            _upgrade(engine, found)


def _upgrade(engine: Engine, found: str) -> None:
    # alembic costs half a second to import, and is needed once in the life of a database
    from alembic.util import CommandError

    with engine.connect() as connection:
        connection.connection.execute("PRAGMA journal_mode = WAL")
    try:
        with writing(engine) as connection:
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
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
