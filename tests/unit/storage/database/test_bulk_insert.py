"""Many rows in one statement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from storage.database.bulk_insert import insert_all, upsert_all
from storage.database.engine import (
    create_sqlite_engine,
    read_transaction,
    write_transaction,
)
from storage.tables import MEMORY, PACK


@pytest.fixture
def engine(tmp_path: Path, migrated_database: Path) -> Iterator[Engine]:
    path = tmp_path / "test.db"
    path.write_bytes(migrated_database.read_bytes())
    engine = create_sqlite_engine(path)
    yield engine
    engine.dispose()


def entry(key: str, value: bytes) -> dict[str, object]:
    return {"key": key, "value": value, "remembered_at": 1.0}


def test_it_returns_how_many_were_inserted(engine: Engine) -> None:
    names = [f"{number}.pack" for number in range(1200)]
    with write_transaction(engine) as connection:
        assert insert_all(connection, PACK, ({"name": name} for name in names)) == 1200
        assert insert_all(connection, PACK, []) == 0
    with read_transaction(engine) as connection:
        stored = connection.scalars(select(PACK.c.name).order_by(PACK.c.id)).all()
    assert list(stored) == names


def test_a_row_replaces_the_one_of_its_key(engine: Engine) -> None:
    with write_transaction(engine) as connection:
        upsert_all(connection, MEMORY, [entry("a", b"1"), entry("b", b"2")], ["key"])
        upsert_all(connection, MEMORY, [entry("b", b"3"), entry("c", b"4")], ["key"])
        upsert_all(connection, MEMORY, [], ["key"])
    with read_transaction(engine) as connection:
        rows = connection.execute(select(MEMORY.c.key, MEMORY.c.value)).all()
    assert {key: bytes(value) for key, value in rows} == {
        "a": b"1",
        "b": b"3",
        "c": b"4",
    }
