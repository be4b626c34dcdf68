"""Where SQLite begins to look for a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from storage.database.engine import read_transaction
from storage.index.query import candidates
from storage.index.query.candidates import choose_candidates
from storage.index.query.parser import parse_query
from storage.open import Storage, open_storage
from tests.unit.storage.samples import REPO, make_kernel


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    kernels = [
        replace(
            make_kernel(f"kernel_{number}", number),
            tags=("common", "rare") if number == 7 else ("common",),
        )
        for number in range(20)
    ]
    with open_storage(tmp_path) as storage:
        storage.index.put_kernels(REPO, kernels)
        yield storage


def count_candidates(storage: Storage, query: str) -> int | None:
    """Return how many kernels lead to an answer; `None` where all are gone through."""
    with read_transaction(storage.engine) as connection:
        chosen = choose_candidates(connection, parse_query(query))
        if chosen is None:
            return None
        return len(set(connection.scalars(chosen)))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tag = rare", 1),
        ("tag = common and tag = rare", 1),
        ("text:kernel", None),
        ('text:"kernel 7"', 1),
        ("tag = common", None),
        ("not tag = rare", None),
        ("tag = rare or lines > 3", None),
        ("pass_call.gfx90a = fail", 0),
        ("review = accepted", 0),
        ("review = unreviewed", None),
        ("", None),
    ],
)
def test_the_rarest_value_leads(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, query: str, expected: int | None
) -> None:
    monkeypatch.setattr(candidates, "MAX_CANDIDATES", 15)
    assert count_candidates(storage, query) == expected


@pytest.mark.parametrize("bound", [0, 1, 15, 100])
def test_the_way_to_an_answer_changes_nothing_of_it(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, bound: int
) -> None:
    monkeypatch.setattr(candidates, "MAX_CANDIDATES", bound)
    query = "(tag = rare or name = kernel_1*) and not text:11"
    names = [row.name for row in storage.index.query(query)]
    expected = {7, 1, *range(10, 20)} - {11}
    assert sorted(names) == sorted(f"kernel_{number}" for number in expected)
