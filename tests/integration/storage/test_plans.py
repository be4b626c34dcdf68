"""Postgres looks for the kernels of a page one by one, rather than among all that have a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from benchmarks.cluster.web_speed import put_kernels
from benchmarks.dataset.large_stores import LargeStore, fill_store, open_store

_EXPRESSION = "pass_call.gfx90a = pass"


@pytest.fixture(scope="module")
def large_store() -> Iterator[LargeStore]:
    with open_store("postgres") as store:
        fill_store(store.storage, put_kernels, 300, 50)
        with store.storage.engine.begin() as connection:
            connection.exec_driver_sql("ANALYZE")
        yield store


@contextmanager
def explaining(engine: Engine, *, before: str = "SELECT 1") -> Iterator[list[str]]:
    """Give the plans of what is asked for kernels with a verdict, as each is made."""
    plans: list[str] = []

    def explain(
        connection: Connection, _: Any, statement: str, values: Any, *rest: Any
    ) -> None:
        if "ORDER BY kernel.repo" not in statement or "build.target" not in statement:
            return
        cursor = connection.connection.cursor()
        cursor.execute(before)
        cursor.execute(f"EXPLAIN {statement}", values)
        plans.append("\n".join(row[0] for row in cursor.fetchall()))
        cursor.close()

    event.listen(engine, "before_cursor_execute", explain)
    yield plans
    event.remove(engine, "before_cursor_execute", explain)


def ask_for_page(store: LargeStore) -> None:
    assert len(list(store.storage.index.query(_EXPRESSION, limit=26))) == 26


def ask_for_facets(store: LargeStore) -> None:
    index = store.storage.index
    _, counts = index.query_with_facets(("licence",), _EXPRESSION, limit=0, among=100)
    assert counts["licence"]


@pytest.mark.parametrize("ask", [ask_for_page, ask_for_facets])
def test_a_page_walks_in_the_order_of_places(
    large_store: LargeStore, ask: Callable[[LargeStore], None]
) -> None:
    with explaining(large_store.storage.engine) as plans:
        ask(large_store)
    assert plans
    for plan in plans:
        assert "hashed" not in plan
        assert "ix_kernel_place" in plan

    # left to itself it hashes: without this, the above would show nothing
    with explaining(large_store.storage.engine, before="RESET work_mem") as plans:
        ask(large_store)
    assert any("hashed" in plan for plan in plans)


def test_rows_and_facets_are_looked_for_once(large_store: LargeStore) -> None:
    index = large_store.storage.index
    with explaining(large_store.storage.engine) as plans:
        rows, counts = index.query_with_facets(
            ("licence",), _EXPRESSION, limit=26, among=100
        )
    assert len(plans) == 1
    assert len(rows) == 26
    assert sum(count.kernels for count in counts["licence"]) == 100
