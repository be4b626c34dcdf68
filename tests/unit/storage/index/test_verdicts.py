"""Builds and runs: the newest of a place counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from crawler.model import Status
from storage.database.engine import read_transaction
from storage.index.verdicts import keep_newest_builds
from storage.open import Storage, open_storage
from storage.tables import BUILD
from tests.unit.storage.samples import REPO, make_build, make_kernel, make_unit

UNIT = make_unit("text")


@pytest.fixture
def storage(tmp_path: Path, migrated: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated.read_bytes())
    with open_storage(tmp_path) as storage:
        storage.index.put_kernels(REPO, [make_kernel("k", unit=UNIT)])
        yield storage


def pass_call(storage: Storage) -> dict[str, str]:
    (row,) = storage.index.query()
    return row.pass_call


def test_of_builds_with_one_key_the_last_is_kept() -> None:
    old = make_build(UNIT, "sm_80", status=Status.FAIL)
    other = make_build(UNIT, "sm_90")
    new = make_build(UNIT, "sm_80")
    assert list(keep_newest_builds([old, other, new]).values()) == [other, new]


def test_a_newer_build_replaces_the_row_of_its_key(storage: Storage) -> None:
    storage.index.put_builds([make_build(UNIT, "sm_80", status=Status.FAIL)])
    storage.index.put_builds([make_build(UNIT, "sm_80"), make_build(UNIT, "sm_90")])
    with read_transaction(storage.engine) as connection:
        targets = connection.scalars(select(BUILD.c.target)).all()
    assert sorted(targets) == ["sm_80", "sm_90"]
    assert pass_call(storage) == {"sm_80": "pass", "sm_90": "pass"}


def test_the_newest_build_speaks_whatever_its_toolchain(storage: Storage) -> None:
    storage.index.put_builds([make_build(UNIT, "sm_80", "clang")])
    storage.index.put_builds([make_build(UNIT, "sm_80", "nvcc", Status.FAIL)])
    assert pass_call(storage) == {"sm_80": "fail"}
    storage.index.put_builds([make_build(UNIT, "sm_80", "clang")])
    assert pass_call(storage) == {"sm_80": "pass"}


def test_nothing_to_store_is_no_error(storage: Storage) -> None:
    storage.index.put_builds([])
    storage.index.put_runs([])
    assert pass_call(storage) == {}
