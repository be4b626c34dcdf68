"""Read an embedded index whole, where it is small enough for that to be the quickest way.

Loading SQLAlchemy and the tables takes several times as long as reading a thousand kernels does, so
that a first look at one's own crawl need not wait for them: the statements stand here as SQL, and
conditions are held against the rows in memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from storage.database.versions import HEAD_REVISION
from storage.index.pages.kernel_page import (
    KernelPage,
    RowsBeside,
    collect_texts,
    group_by_unit,
)
from storage.index.query.conditions import iter_terms
from storage.index.query.parser import parse_query
from storage.index.query.row_matching import matches
from storage.index.query.terms import FieldKind
from storage.interfaces import KernelRow

_MAX_KERNELS: Final = 2_000
_MAX_WAIT_SECONDS: Final = 60
_KERNELS: Final = "SELECT * FROM kernel ORDER BY repo, pinned, path, offset, id"
_COMMITS_AND_COPIES: Final = """
SELECT kernel.id, revision.url, definition.near_cluster FROM kernel
JOIN revision ON revision.id = kernel.revision
LEFT JOIN definition ON definition.digest = kernel.definition"""
_TEXTS_OF_KERNELS: Final = """
SELECT 'tag', kernel, 0, tag FROM kernel_tag
UNION ALL SELECT 'operator', kernel, 0, name FROM kernel_operator
UNION ALL SELECT 'label', kernel, position, label FROM instantiation"""
_TEXTS_OF_UNITS: Final = """
SELECT 'blocker', unit, code FROM port_blocker
UNION ALL SELECT 'review', unit, state FROM review_state"""
_PORTS: Final = "SELECT unit, ported, wave FROM port ORDER BY ported"
_BUILDS: Final = """
SELECT unit, target, status, code, fidelity FROM build WHERE NOT EXISTS (
  SELECT 1 FROM build AS newer WHERE newer.unit = build.unit
  AND newer.target = build.target AND newer.id > build.id)
ORDER BY target"""
_RUNS: Final = """
SELECT unit, device, instantiation, extents, oracle, exe_status, exe_code, perf_status, mutants,
  killed, strength FROM run WHERE NOT EXISTS (
  SELECT 1 FROM run AS newer WHERE newer.unit = run.unit AND newer.device = run.device
  AND newer.id > run.id AND NOT newer.is_further)
ORDER BY device, id"""


def query_small_index(database: Path, expression: str) -> list[KernelRow] | None:
    """Return the kernels that match, as `KernelIndex.query` does and in its order.

    `None` where only that can tell: for an index that is large, of another version, not there, or
    not to be read, and for what asks for words of texts. Raises `BadQuery`.
    """
    condition = parse_query(expression)
    kinds = {term.field.kind for term in iter_terms(condition)}
    if FieldKind.WORDS in kinds:
        return None

    # one that is not there is not made
    address = f"{database.absolute().as_uri()}?mode=rw"
    try:
        with closing(
            sqlite3.connect(address, uri=True, timeout=_MAX_WAIT_SECONDS)
        ) as connection:
            page = _read_page(connection)
    except sqlite3.Error:
        return None
    if page is None:
        return None

    rows = map(page.query_row, page.kernels)
    return [row for row in rows if matches(row, condition)]


def _read_page(connection: sqlite3.Connection) -> KernelPage | None:
    """Return all kernels as one page, of one state of the database; `None` for too many."""
    # one transaction, in which nobody else's change is seen
    connection.isolation_level = None
    connection.execute("BEGIN")
    version = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if version != (HEAD_REVISION,):
        return None
    (kernel_count,) = connection.execute("SELECT count(*) FROM kernel").fetchone()
    if kernel_count > _MAX_KERNELS:
        return None

    beside = RowsBeside(
        commits_and_copies={
            row.id: row for row in _iter_rows(connection, _COMMITS_AND_COPIES)
        },
        texts=collect_texts(
            connection.execute(_TEXTS_OF_KERNELS), connection.execute(_TEXTS_OF_UNITS)
        ),
        ports=group_by_unit(_iter_rows(connection, _PORTS)),
        builds=group_by_unit(_iter_rows(connection, _BUILDS)),
        runs=group_by_unit(_iter_rows(connection, _RUNS)),
    )
    return KernelPage(list(_iter_rows(connection, _KERNELS)), beside)


def _iter_rows(connection: sqlite3.Connection, statement: str) -> Iterator[Any]:
    """Yield rows whose columns are attributes."""
    cursor = connection.execute(statement)
    names = [column for column, *_ in cursor.description]
    for row in cursor:
        yield SimpleNamespace(**dict(zip(names, row, strict=True)))
