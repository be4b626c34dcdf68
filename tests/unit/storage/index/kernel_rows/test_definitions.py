"""Texts of kernels are signed once, and those of an older version when copies are grouped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select, update

from storage.database.engine import read_transaction, write_transaction
from storage.index.kernel_rows import definitions
from storage.index.kernel_rows.definitions import remove_orphaned_definitions
from storage.open import Storage, open_storage
from storage.tables import DEFINITION, KERNEL
from tests.unit.storage.samples import REPO, make_kernel

TEXTS = [f"__global__ void k{number}() {{}}" for number in range(5)]
KERNELS = [
    replace(make_kernel(f"k{number}", number), source=text)
    for number, text in enumerate(TEXTS)
]
TEXTLESS = replace(make_kernel("textless", 9), source="")


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(tmp_path) as storage:
        storage.index.put_kernels(REPO, [*KERNELS, TEXTLESS])
        yield storage


def near_clusters(storage: Storage) -> dict[str, str]:
    return {row.name: row.near_cluster for row in storage.index.query()}


def count_definitions(storage: Storage) -> int:
    with read_transaction(storage.engine) as connection:
        return connection.scalar(select(func.count()).select_from(DEFINITION)) or 0


def test_kernels_that_an_older_version_has_put_are_signed_when_copies_are_grouped(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.index.group_copies()
    expected = near_clusters(storage)
    monkeypatch.setattr(definitions, "_KERNELS_PER_PAGE", 2)
    with write_transaction(storage.engine) as connection:
        connection.execute(delete(DEFINITION))
        connection.execute(update(KERNEL).values(definition=""))

    assert set(near_clusters(storage).values()) == {""}
    assert storage.index.group_copies() == len(TEXTS)
    assert near_clusters(storage) == expected
    assert storage.index.group_copies() == 0


def test_signatures_of_another_version_are_made_anew(storage: Storage) -> None:
    storage.index.group_copies()
    expected = near_clusters(storage)
    with write_transaction(storage.engine) as connection:
        connection.execute(update(DEFINITION).values(minhash=b"old", version="old"))

    assert storage.index.group_copies() == len(TEXTS)
    assert near_clusters(storage) == expected


def test_a_text_goes_with_its_last_kernel(storage: Storage) -> None:
    kept_kernel = KERNELS[0]
    with read_transaction(storage.engine) as connection:
        texts = set(connection.scalars(select(KERNEL.c.definition)))

    storage.index.put_kernels(REPO, [kept_kernel])
    assert count_definitions(storage) == len(TEXTS)
    with write_transaction(storage.engine) as connection:
        remove_orphaned_definitions(connection, texts)

    assert count_definitions(storage) == 1
    assert near_clusters(storage)[kept_kernel.name] != ""
