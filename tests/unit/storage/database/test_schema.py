"""A database is migrated when it is opened, once, and never by an older version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from storage.database.engine import create_sqlite_engine, write_transaction
from storage.database.schema import (
    MIGRATIONS_FOLDER,
    migrate_embedded,
    require_current,
    schema_version,
)
from storage.database.versions import HEAD_REVISION


def test_the_newest_migration_is_the_head() -> None:
    names = [path.name for path in (MIGRATIONS_FOLDER / "versions").glob("*.py")]
    numbers = [match[0] for name in names if (match := re.match(r"\d{4}", name))]
    assert max(numbers) == HEAD_REVISION


def test_an_empty_database_gets_all_tables_and_a_second_opening_changes_nothing(
    tmp_path: Path,
) -> None:
    engine = create_sqlite_engine(tmp_path / "new.db")
    assert schema_version(engine) == ""
    migrate_embedded(engine, tmp_path / "lock")
    assert schema_version(engine) == HEAD_REVISION
    require_current(engine)
    before = (tmp_path / "new.db").read_bytes()
    migrate_embedded(engine, tmp_path / "lock")
    assert (tmp_path / "new.db").read_bytes() == before
    engine.dispose()


def test_a_database_of_a_newer_version_is_left_alone(
    tmp_path: Path, migrated_database: Path
) -> None:
    path = tmp_path / "newer.db"
    path.write_bytes(migrated_database.read_bytes())
    engine = create_sqlite_engine(path)
    with write_transaction(engine) as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(Misconfigured, match="version 9999, which this Kernelset"):
        migrate_embedded(engine, tmp_path / "lock")
    with pytest.raises(Misconfigured, match="run `kernelset db upgrade`") as refusal:
        require_current(engine)
    assert refusal.value.code == "database-version"
    engine.dispose()
