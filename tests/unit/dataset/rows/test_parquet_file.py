"""A Parquet file has groups of bounded size, and holds the very values of its rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from crawler.codec import encode
from crawler.dataset.rows import parquet_file
from crawler.dataset.rows.arrow_schema import to_arrow_cells
from crawler.dataset.rows.parquet_file import ROWS_PER_GROUP, ParquetFile


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    labels: dict[str, str]
    colours: tuple[Colour, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    text: str
    parts: tuple[Part, ...] = ()
    first: Part | None = None
    counts: dict[str, int]
    pairs: tuple[tuple[str, str], ...] = ()


def write_samples(path: Path, samples: list[Sample]) -> list[int]:
    """Return how many rows each group of the file has."""
    with path.open("wb") as file, ParquetFile(file, Sample, "sample/1") as written:
        for sample in samples:
            written.add(sample)

    metadata = parquet.ParquetFile(path).metadata
    return [
        metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)
    ]


def test_mappings_are_pairs_however_deep_they_stand(tmp_path: Path) -> None:
    part = Part(labels={"b": "1", "a": "2"}, colours=(Colour.RED,))
    sample = Sample(
        text="t", parts=(part, part), first=part, counts={"x": 1}, pairs=(("k", "v"),)
    )
    write_samples(tmp_path / "rows.parquet", [sample, Sample(text="", counts={})])

    read, empty = parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    pairs = [{"key": "b", "value": "1"}, {"key": "a", "value": "2"}]
    plain_part: dict[str, Any] = {"labels": pairs, "colours": ["red"]}
    assert read == {
        "text": "t",
        "parts": [plain_part, plain_part],
        "first": plain_part,
        "counts": [{"key": "x", "value": 1}],
        "pairs": [["k", "v"]],
    }
    assert (empty["first"], empty["parts"], empty["counts"]) == (None, [], [])


def test_with_maps_a_file_reads_back_as_json_says_it(tmp_path: Path) -> None:
    part = Part(labels={"b": "1", "a": "2"}, colours=(Colour.RED,))
    samples = [
        Sample(text="t", parts=(part, part), first=part, counts={"x": 1}),
        Sample(text="", counts={}),
    ]
    path = tmp_path / "rows.parquet"
    with (
        path.open("wb") as file,
        ParquetFile(file, Sample, "sample/1", with_maps=True) as written,
    ):
        for sample in samples:
            written.add(sample)

    read = parquet.read_table(path).to_pylist(maps_as_pydicts="strict")
    assert read == [json.loads(encode(sample)) for sample in samples]


def test_a_row_is_left_as_it_was() -> None:
    sample = Sample(text="t", counts={"x": 1})
    to_arrow_cells(sample)
    assert sample.counts == {"x": 1}


def test_a_group_ends_with_a_number_of_rows(tmp_path: Path) -> None:
    samples = [Sample(text="t", counts={})] * (ROWS_PER_GROUP + 1)
    assert write_samples(tmp_path / "rows.parquet", samples) == [ROWS_PER_GROUP, 1]


# in JSON these texts are twice and six times as long: not that is what ends a group
@pytest.mark.parametrize("character", ["x", '"', "\x01"])
def test_a_group_ends_with_the_row_that_fills_it_with_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, character: str
) -> None:
    monkeypatch.setattr(parquet_file, "BYTES_PER_GROUP", 1000)
    samples = [Sample(text=character * 300, counts={"mark": 1})] * 9
    # 4 rows of 304 characters are the first to have 1,000
    assert write_samples(tmp_path / "rows.parquet", samples) == [4, 4, 1]
