"""A row is the published form of a record, and its JSON Schema lies beside the code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pyarrow import parquet

import crawler.dataset
from crawler.codec import decode, to_builtins
from crawler.dataset.exporters.jsonl import PLUGIN as JSONL
from crawler.dataset.exporters.parquet import PLUGIN as PARQUET
from crawler.dataset.interface import RowContext
from crawler.dataset.rows.place_row import to_place_row
from crawler.dataset.rows.row import build_row_schema, to_row
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.model import (
    ChecklistItem,
    KernelRecord,
    Review,
    ReviewComment,
    ReviewedPart,
    ReviewVerdict,
    Status,
)

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
PUBLISHED = Path(str(crawler.dataset.__file__)).parent / "schemas/kernels.json"


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    JSONL.write(KERNELS, RECORDS, tmp_path / "rows.jsonl", RowContext())
    return (tmp_path / "rows.jsonl").read_text().splitlines()


def test_the_published_schema_is_that_of_the_code() -> None:
    assert json.loads(PUBLISHED.read_text()) == json.loads(
        json.dumps(build_row_schema())
    )


def test_every_line_fits_the_published_schema(lines: list[str]) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text()))
    for line in lines:
        validator.validate(json.loads(line))
    broken = json.loads(lines[0])
    del broken["licence"], broken["digest"]
    assert len(list(validator.iter_errors(broken))) == 2


def test_a_row_names_its_place_licence_verdicts_and_launches(lines: list[str]) -> None:
    row = next(
        json.loads(line) for line in lines if json.loads(line)["name"] == "block_sum"
    )
    assert row["span"]["path"] == "include/reduce.cuh"
    assert (row["licence"]["spdx"], row["licence"]["kind"]) == ("MIT", "permissive")
    assert row["pass_call"] == {"gfx90a": "pass", "sm_80": "pass"}
    assert row["launches"][0]["block"] == "ROLLERS_BLOCK"
    assert row["ports"][0]["ported_from"] == row["digest"] == row["unit"]["digest"]


def test_two_places_never_share_an_id(lines: list[str]) -> None:
    ids = [json.loads(line)["id"] for line in lines]
    assert len(set(ids)) == len(RECORDS)


def test_parquet_streams_in_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.dataset.rows.parquet_file.ROWS_PER_GROUP", 4)
    assert PARQUET.write(
        KERNELS, RECORDS, tmp_path / "rows.parquet", RowContext()
    ) == len(RECORDS)
    assert parquet.ParquetFile(tmp_path / "rows.parquet").num_row_groups == 2


def test_the_best_verdict_of_a_target_counts_in_any_order() -> None:
    (first, *_) = RECORDS
    passed = next(build for build in first.builds if build.target == "sm_80")
    failed = replace(
        passed,
        pass_call=replace(passed.pass_call, status=Status.FAIL, code="compile-error"),
    )
    for builds in ((passed, failed), (failed, passed)):
        assert to_row(replace(first, builds=builds)).pass_call == {"sm_80": "pass"}


def _to_lists(value: object) -> object:
    if isinstance(value, dict):
        return {key: _to_lists(item) for key, item in value.items()}
    return (
        [_to_lists(item) for item in value]
        if isinstance(value, (list, tuple))
        else value
    )


def test_a_row_says_what_people_said_of_it_in_both_formats(tmp_path: Path) -> None:
    record = next(record for record in RECORDS if record.kernel.unit)
    assert record.kernel.unit
    review = Review(
        unit=record.kernel.unit.digest,
        reviewer="Ada",
        verdict=ReviewVerdict.NEEDS_WORK,
        unmet=(ChecklistItem.TESTS_COVER,),
        comments=(ReviewComment(part=ReviewedPart.PORT, line=2, text="why?"),),
        reviewed_at=1.5,
    )
    other = replace(review, reviewer="Bob", reviewed_at=2.0)
    reviewed = replace(record, reviews=(review, other))
    row: Any = _to_lists(to_builtins(to_row(reviewed)))
    assert row["review"] == "needs-work"
    assert [review["reviewer"] for review in row["reviews"]] == ["Ada", "Bob"]
    assert row["reviews"][0]["comments"][0]["text"] == "why?"
    assert to_place_row(reviewed).review == "needs-work"
    assert to_row(record).review == "unreviewed"
    PARQUET.write(KERNELS, [reviewed], tmp_path / "rows.parquet", RowContext())
    (cells,) = parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    assert cells["reviews"] == row["reviews"]
