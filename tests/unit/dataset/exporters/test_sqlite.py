"""A database has a table of rows, in which structures are columns and lists are JSON."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from crawler.codec import decode
from crawler.dataset.exporters.sqlite import PLUGIN
from crawler.dataset.interface import RowContext
from crawler.dataset.replacement import can_replace
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.model import KernelRecord

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)


def test_rows_can_be_asked_for_in_sql(tmp_path: Path) -> None:
    path = tmp_path / "kernels.sqlite"
    PLUGIN.write(KERNELS, RECORDS, path, RowContext())
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT name, span_path, span_line, licence_spdx, tags FROM kernels"
        ).fetchall()
        tagged = connection.execute(
            "SELECT count(DISTINCT kernels.rowid) FROM kernels, json_each(kernels.tags)"
        ).fetchone()

    expected = [
        (
            record.kernel.name,
            record.kernel.span.path,
            record.kernel.span.line,
            record.kernel.licence.spdx,
            list(record.kernel.tags),
        )
        for record in RECORDS
    ]
    assert [(*row[:4], json.loads(row[4])) for row in rows] == expected
    assert tagged == (sum(bool(record.kernel.tags) for record in RECORDS),)


def test_what_another_program_made_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE kernels (name)")

    assert not can_replace(path)
