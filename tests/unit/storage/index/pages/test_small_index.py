"""A small index on this machine is read whole; what else there is, is left to the other way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.errors import BadQuery
from storage.index.pages import small_index
from storage.index.pages.small_index import query_small_index
from storage.open import Storage, open_storage
from tests.unit.storage.samples import REPO, make_kernel


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(tmp_path) as storage:
        yield storage


@pytest.fixture
def database(storage: Storage, tmp_path: Path) -> Path:
    kernels = [make_kernel(f"kernel_{number}", number) for number in range(3)]
    storage.index.put_kernels(REPO, kernels)
    return tmp_path / "kernelset.db"


def test_its_rows_are_those_of_the_index(storage: Storage, database: Path) -> None:
    rows = query_small_index(database, "")
    assert rows == list(storage.index.query())
    assert rows
    # as the columns of SQLAlchemy are, and not the numbers that SQLite keeps
    assert {type(row.is_template) for row in rows} == {bool}


def test_an_expression_chooses_rows_and_a_wrong_one_is_told(database: Path) -> None:
    rows = query_small_index(database, "name = kernel_1")
    assert rows is not None
    assert [row.name for row in rows] == ["kernel_1"]
    with pytest.raises(BadQuery):
        query_small_index(database, "nosuchfield = 1")


def test_words_of_texts_are_for_the_whole_index(database: Path) -> None:
    assert query_small_index(database, "text:kernel") is None


def test_a_large_index_is_not_read_whole(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_index, "_MAX_KERNELS", 2)
    assert query_small_index(database, "") is None


def test_an_index_of_another_version_is_left_to_who_migrates_it(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()
    assert query_small_index(database, "") is None


def test_what_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert query_small_index(tmp_path / "kernelset.db", "") is None
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_database_is_left_to_who_says_so(tmp_path: Path) -> None:
    (tmp_path / "kernelset.db").write_text(
        "no database, and long enough to be read" * 9
    )
    assert query_small_index(tmp_path / "kernelset.db", "") is None


def test_a_version_of_none_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "kernelset.db") as connection:
        connection.execute("CREATE TABLE alembic_version (version_num)")
    connection.close()
    assert query_small_index(tmp_path / "kernelset.db", "") is None
