"""The query language means the same in SQL and in memory, on any rows."""

from __future__ import annotations

import shutil
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.in_memory.index import InMemoryKernelIndex
from storage.index.pages.small_index import query_small_index
from storage.index.query.conditions import iter_terms
from storage.index.query.fields import FIELDS
from storage.index.query.parser import parse_query
from storage.interfaces import KernelIndex
from storage.open import open_storage
from tests.contract.query.drawn_rows import Filling, conditions, fill, fillings

COUNTED = sorted(set(FIELDS) - {"text"})
EXPRESSIONS = st.lists(conditions(), min_size=8, max_size=8)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(filling=fillings(), expressions=EXPRESSIONS)
def test_sql_and_memory_agree(
    empty: Path, filling: Filling, expressions: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = shutil.copytree(empty, Path(folder) / "home")
        with open_storage(home) as storage:
            agree(storage.index, filling, expressions)
            for expression in ("", *expressions):
                agree_when_small(home, storage.index, expression)


def agree_when_small(home: Path, index: KernelIndex, expression: str) -> None:
    """Hold that a small index, which is read whole, gives the same rows."""
    rows = query_small_index(home / "kernelset.db", expression)
    asks_for_words = "text" in {
        term.field.name for term in iter_terms(parse_query(expression))
    }
    assert asks_for_words == (rows is None), expression
    assert rows is None or rows == list(index.query(expression)), expression


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(filling=fillings(), expressions=EXPRESSIONS)
def test_postgres_and_memory_agree(
    tmp_path: Path,
    empty_database: Callable[[], str],
    filling: Filling,
    expressions: list[str],
) -> None:
    with open_storage(tmp_path, database=empty_database()) as storage:
        agree(storage.index, filling, expressions)


def agree(index: KernelIndex, filling: Filling, expressions: list[str]) -> None:
    memory = InMemoryKernelIndex()
    fill(memory, filling)
    fill(index, filling)
    assert index.totals() == memory.totals()
    assert index.step_totals() == memory.step_totals()
    for expression in ("", *expressions):
        assert list(index.query(expression)) == list(memory.query(expression)), (
            expression
        )
    # the expressions are drawn, and with them the fields
    for expression in expressions[:4]:
        name = COUNTED[zlib.crc32(expression.encode()) % len(COUNTED)]
        assert index.count_values(name, expression) == memory.count_values(
            name, expression
        ), (name, expression)
