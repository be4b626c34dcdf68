"""Parquet says of a row what JSON Lines say of it, in the same types."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from crawler.codec import decode
from crawler.dataset.exporters.jsonl import PLUGIN as JSONL
from crawler.dataset.exporters.parquet import PLUGIN as PARQUET
from crawler.dataset.interface import RowContext, View
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.dataset.views.pairs import PLUGIN as PAIRS
from crawler.model import KernelRecord

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)


@pytest.mark.parametrize("view", [KERNELS, PAIRS])
def test_rows_are_those_of_json_lines(tmp_path: Path, view: View) -> None:
    JSONL.write(view, RECORDS, tmp_path / "rows.jsonl", RowContext())
    PARQUET.write(view, RECORDS, tmp_path / "rows.parquet", RowContext())
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    table = parquet.read_table(tmp_path / "rows.parquet")
    rows = table.to_pylist(maps_as_pydicts="strict")
    assert rows
    assert rows == [json.loads(line) for line in lines]
