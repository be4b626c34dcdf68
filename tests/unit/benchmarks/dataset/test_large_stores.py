"""A large store is filled once, whatever interrupts it, and has all that a store has."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import inspect

from benchmarks.cluster.web_speed import put_kernels
from benchmarks.dataset.large_stores import LargeStore, fill_store, open_store
from storage.tables import METADATA


def count(store: LargeStore, expression: str) -> int:
    return sum(1 for _ in store.storage.index.query(expression))


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_copies_are_made_on_from_where_they_were(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(database) as store:
        fill = partial(fill_store, store.storage, put_kernels, 60)

        def fail(*_: object) -> None:
            raise InterruptedError

        with monkeypatch.context() as interrupted:
            interrupted.setattr("benchmarks.dataset.large_stores.multiply_rows", fail)
            with pytest.raises(InterruptedError):
                fill(copies=3)
        fill(copies=3)
        # all of it is there already
        fill(copies=2)

        originals = count(store, "not repo = *-*")
        assert count(store, "") == 3 * originals == 180
        assert count(store, "pass_exe.cpu = *") % 3 == 0
        assert count(store, "review = accepted,needs-work") % 3 == 0
        inspector = inspect(store.storage.engine)
        for table in METADATA.sorted_tables:
            there = {index["name"] for index in inspector.get_indexes(table.name)}
            assert {index.name for index in table.indexes} <= there
        assert "dropped_index" not in inspector.get_table_names()


def test_the_processor_of_a_server_is_counted() -> None:
    with open_store("postgres") as store:
        assert store.server
        alone = LargeStore(store.storage)
        # both count this process; one its server, too
        assert store.read_processor_seconds() > alone.read_processor_seconds()
