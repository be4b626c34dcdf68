"""Migrations and models say the same, and a database of another version is told apart."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect

from crawler.errors import Misconfigured
from storage.database.engine import create_sqlite_engine, write_transaction
from storage.database.schema import (
    MIGRATIONS_FOLDER,
    migrate_embedded,
    run_migrations,
    schema_version,
)
from storage.database.versions import HEAD_REVISION
from storage.open import open_storage
from storage.tables import METADATA

DIRECTED = ("ix_task_ready", "ix_task_dispatch")
WORDS = "kernel_words"
"""The full-text index of SQLite, whose tables no model describes."""


def shape(engine: Engine) -> dict[str, object]:
    """Everything that the database says of its tables, whatever made them."""
    inspector = inspect(engine)
    with engine.connect() as connection:
        made: dict[str, str] = dict(
            connection.exec_driver_sql(
                "SELECT name, sql FROM sqlite_master WHERE type = 'index'"
            ).all()
        )
    return {
        table: (
            {
                column["name"]: (str(column["type"]), column["nullable"])
                for column in inspector.get_columns(table)
            },
            inspector.get_pk_constraint(table)["constrained_columns"],
            sorted(
                str(sorted(key.items(), key=str))
                for key in inspector.get_foreign_keys(table)
            ),
            sorted(
                str(sorted(constraint.items(), key=str))
                for constraint in inspector.get_unique_constraints(table)
            ),
            sorted(
                (str(index["name"]), str(made[str(index["name"])]))
                for index in inspector.get_indexes(table)
            ),
        )
        for table in inspector.get_table_names()
        if table != "alembic_version" and not table.startswith(WORDS)
    }


@pytest.fixture
def migrated_engine(tmp_path: Path) -> Engine:
    with open_storage(tmp_path) as storage:
        engine = storage.engine
    return engine


def test_migrating_an_empty_database_gives_the_models(
    migrated_engine: Engine, tmp_path: Path
) -> None:
    with migrated_engine.connect() as connection:
        # alembic cannot compare an index with a direction; `shape` does
        options = {
            "compare_type": True,
            "include_object": lambda _, name, *rest: (
                name not in DIRECTED and not name.startswith(WORDS)
            ),
        }
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, METADATA) == []
    modelled = create_engine(f"sqlite:///{tmp_path / 'models.db'}")
    METADATA.create_all(modelled)
    assert shape(migrated_engine) == shape(modelled)
    modelled.dispose()


def test_head_is_the_newest_migration_and_there_is_one_line_of_them() -> None:
    assert ScriptDirectory(str(MIGRATIONS_FOLDER)).get_heads() == [HEAD_REVISION]


def test_opening_again_migrates_nothing(tmp_path: Path) -> None:
    open_storage(tmp_path).close()
    opened = f"""
import sys
from pathlib import Path
from storage.open import open_storage
open_storage(Path({str(tmp_path)!r})).close()
assert "alembic" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", opened], check=True)


def test_a_newer_database_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    with (
        open_storage(tmp_path) as storage,
        write_transaction(storage.engine) as connection,
    ):
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(Misconfigured, match=r"version 9999.*upgrade Kernelset"):
        open_storage(tmp_path)
    engine = create_sqlite_engine(tmp_path / "kernelset.db")
    assert schema_version(engine) == "9999"
    engine.dispose()


def test_a_migration_that_breaks_leaves_nothing_of_itself(tmp_path: Path) -> None:
    engine = create_sqlite_engine(tmp_path / "kernelset.db")

    def broken() -> None:
        with write_transaction(engine) as connection:
            run_migrations(connection)
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power"):
        broken()
    assert inspect(engine).get_table_names() == []
    migrate_embedded(engine, tmp_path / "migrate.lock")
    assert schema_version(engine) == HEAD_REVISION
    engine.dispose()


def test_processes_that_open_at_once_all_find_it_migrated(tmp_path: Path) -> None:
    opened = (
        "import sys; from pathlib import Path; from storage.open import open_storage; "
    )
    opened += "open_storage(Path(sys.argv[1])).close()"
    running = [
        subprocess.Popen([sys.executable, "-c", opened, str(tmp_path / "home")])
        for _ in range(3)
    ]
    assert [process.wait(timeout=60) for process in running] == [0] * 3
