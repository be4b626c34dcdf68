"""Units and their ports in blobs and rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from storage.in_memory.blobs import InMemoryBlobStore
from storage.index import sql_index
from storage.index.kernel_rows import kernel_units
from storage.index.kernel_rows.kernel_units import load_units, store_units
from storage.open import Storage, open_storage
from tests.unit.storage.samples import REPO, make_kernel, make_unit


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(tmp_path) as storage:
        yield storage


def test_stored_units_come_back_with_their_texts() -> None:
    blobs = InMemoryBlobStore()
    units = [make_unit("first"), make_unit("second é")]
    stored = store_units(blobs, units)
    pairs = [(unit.digest, encoded) for unit, encoded in stored]
    assert list(load_units(blobs, pairs)) == units


def test_the_text_is_a_blob_of_its_own() -> None:
    blobs = InMemoryBlobStore()
    unit = make_unit("a text that stands once")
    ((_, encoded),) = store_units(blobs, [unit])
    assert blobs.get(unit.digest) == b"a text that stands once"
    assert b"stands once" not in blobs.get(encoded)


def test_a_unit_under_a_wrong_digest_is_refused() -> None:
    wrong = replace(make_unit("text"), digest="0" * 64)
    with pytest.raises(ValueError, match="not named by the digest of its text"):
        store_units(InMemoryBlobStore(), [wrong])


def test_units_of_a_commit_come_page_by_page_with_their_ports(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_units, "UNITS_PER_PAGE", 2)
    monkeypatch.setattr(sql_index, "UNITS_PER_PAGE", 2)
    units = [make_unit(f"text {number}") for number in range(5)]
    kernels = [make_kernel(f"k{n}", n, unit=unit) for n, unit in enumerate(units)]
    storage.index.put_kernels(REPO, kernels)
    ports = [make_unit("port", ported_from=units[0].digest)]
    storage.index.put_ports(ports)
    expected = sorted(unit.digest for unit in (*units, *ports))
    assert [unit.digest for unit in storage.index.units(REPO)] == expected
    assert list(storage.index.units(replace(REPO, commit="2"))) == []


def test_new_ports_replace_those_of_the_same_unit_alone(storage: Storage) -> None:
    first, second = make_unit("first"), make_unit("second")
    kernels = [make_kernel("a", 0, unit=first), make_kernel("b", 1, unit=second)]
    storage.index.put_kernels(REPO, kernels)
    old = make_unit("old port", ported_from=first.digest)
    other = make_unit("other port", ported_from=second.digest)
    new = make_unit("new port", ported_from=first.digest)
    storage.index.put_ports([old, other])
    storage.index.put_ports([new])
    ports = [row.ports for row in storage.index.query()]
    assert ports == [(new.digest,), (other.digest,)]


def test_a_port_of_an_unknown_unit_is_refused_and_changes_nothing(
    storage: Storage,
) -> None:
    unit = make_unit("text")
    storage.index.put_kernels(REPO, [make_kernel("k", unit=unit)])
    good = make_unit("port", ported_from=unit.digest)
    unknown = make_unit("lost", ported_from="f" * 64)
    with pytest.raises(KeyError, match="f" * 64):
        storage.index.put_ports([good, unknown])
    (row,) = storage.index.query()
    assert row.ports == ()
