"""A row of `geak` is a folder whose files name each other as they are called in it."""

from __future__ import annotations

from crawler.dataset.interface import RowContext
from crawler.dataset.views.geak import PLUGIN, GeakRow
from tests.run_records import BLOBS, make_launched_record


def make_row() -> GeakRow:
    (row,) = PLUGIN.make_rows(
        make_launched_record(), RowContext(read_content=BLOBS.get)
    )
    assert isinstance(row, GeakRow)
    return row


def test_the_source_says_how_it_is_built_by_its_own_name() -> None:
    row = make_row()
    source = row.files[row.file_name]
    head = source[: source.index("#if")]
    assert f"hipcc -std=c++17 {row.file_name} -o {row.task}\n" in head
    assert "test_" not in head
