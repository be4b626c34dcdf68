"""What every view promises: rows that fit its published schema, the same for the same record, in
every format.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pyarrow import parquet

import crawler.dataset
from crawler.codec import decode, encode, to_builtins
from crawler.dataset.choice import list_views
from crawler.dataset.exporters.folder import PLUGIN as FOLDER
from crawler.dataset.exporters.jsonl import PLUGIN as JSONL
from crawler.dataset.exporters.parquet import PLUGIN as PARQUET
from crawler.dataset.exporters.tree import PLUGIN as TREE
from crawler.dataset.interface import Exporter, RowContext, View
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.dataset.replacement import can_replace
from crawler.dataset.rows.json_schema import build_json_schema
from crawler.dataset.texts.depth import Depth
from crawler.errors import Misconfigured
from crawler.field_docstrings import read_field_docstrings
from crawler.model import AttemptVerdict, CompletionAttempt, KernelRecord
from tests.run_records import BLOBS, make_launched_record, make_run_records

RECORDS = (
    *decode(
        (Path(__file__).parents[1] / "fixtures/records.json").read_bytes(),
        tuple[KernelRecord, ...],
    ),
    *make_run_records(),
    make_launched_record(),
)
SCHEMAS = Path(str(crawler.dataset.__file__)).parent / "schemas"
VIEWS = list_views()


def list_attempts(kernel: str) -> list[CompletionAttempt]:
    attempt = CompletionAttempt(
        series="s",
        kernel=kernel,
        unit="u",
        purpose="repair",
        number=1,
        model="m",
        parameters="{}",
        answer=MODEL_WORDS,
        source=MODEL_WORDS,
        messages="out[3] is wrong",
        pass_call={"gfx90a": "pass"},
        verdict=AttemptVerdict.WRONG,
    )
    units = {
        unit.digest
        for record in RECORDS
        if make_task_id(record) == kernel
        for unit in (record.kernel.unit, *record.ports)
        if unit is not None
    }
    descriptions = [
        replace(
            attempt,
            unit=unit,
            purpose="describe",
            answer=f"# Instruction\n{MODEL_WORDS}\n# Description\n{MODEL_WORDS}",
            source="",
            verdict=AttemptVerdict.WRITTEN,
        )
        for unit in sorted(units)
    ]
    repairs = [
        replace(attempt, unit=unit, number=3, reflection=MODEL_WORDS)
        for unit in sorted(units)
    ]
    return [attempt, replace(attempt, number=2), *repairs, *descriptions]


MODEL_WORDS = "int what_a_model_wrote; // by ada@lovelace-family.org"
CONTEXT = RowContext(read_content=BLOBS.get, list_attempts=list_attempts)
CONTEXTS = [
    RowContext(depth=depth, read_content=BLOBS.get, list_attempts=list_attempts)
    for depth in Depth
]


@pytest.fixture(params=VIEWS, ids=lambda view: view.name)
def view(request: pytest.FixtureRequest) -> View:
    chosen: View = request.param
    return chosen


def encode_rows(view: View, context: RowContext) -> list[bytes]:
    return [
        encode(row) for record in RECORDS for row in view.make_rows(record, context)
    ]


def test_names_and_schemas_are_unique() -> None:
    assert len({view.name for view in VIEWS}) == len(VIEWS)
    assert len({view.schema_name for view in VIEWS}) == len(VIEWS)
    assert {"kernels", "instantiations", "pairs", "verdicts", "rejected"} <= {
        view.name for view in VIEWS
    }


def test_the_records_of_this_suite_give_rows(view: View) -> None:
    assert any(encode_rows(view, context) for context in CONTEXTS)


def take_marked_words(view: str, row: dict[str, Any]) -> list[str]:
    """Take what a row says is a model's out of it."""
    if view == "debug":
        return [row["files"].pop(name) for name in row["written_by_model"]]
    if view == "attempts":
        words = [json.dumps(row)] if row["written_by"] == "model" else []
        row.clear()
        return words

    assert view in ("complete", "instruct")
    description = row.pop("model_description")
    return [json.dumps(description)] if description["written_by"] == "model" else []


def test_what_a_model_wrote_is_in_fields_of_its_own_and_marked(view: View) -> None:
    rows = [row for context in CONTEXTS for row in encode_rows(view, context)]
    written = [row for row in rows if b"what_a_model_wrote" in row]
    assert bool(written) == (view.name in ("attempts", "complete", "instruct", "debug"))
    assert not [row for row in written if b"lovelace" in row]
    for row in written:
        values = json.loads(row)
        marked = take_marked_words(view.name, values)
        assert any("what_a_model_wrote" in words for words in marked)
        assert "what_a_model_wrote" not in json.dumps(values)


def test_a_row_is_a_frozen_dataclass_that_names_its_schema_first(view: View) -> None:
    assert is_dataclass(view.row_type)
    assert fields(view.row_type)[0].name == "schema"
    for record in RECORDS:
        for row in view.make_rows(record, CONTEXT):
            assert isinstance(row, view.row_type)
            assert to_builtins(row)["schema"] == view.schema_name


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.depth.value)
def test_every_row_fits_the_schema(view: View, context: RowContext) -> None:
    schema = build_json_schema(view.row_type, view.schema_name)
    validator = jsonschema.Draft202012Validator(schema)
    for row in encode_rows(view, context):
        validator.validate(json.loads(row))


def test_the_schema_says_of_every_field_what_it_means(view: View) -> None:
    schema = build_json_schema(view.row_type, view.schema_name)
    bare_fields = [
        f"{name}.{field}"
        for name, definition in schema["$defs"].items()
        for field, part in definition.get("properties", {}).items()
        if not part.get("description")
    ]
    assert bare_fields == []
    assert read_field_docstrings(view.row_type).keys() == {
        field.name for field in fields(view.row_type)
    }


def test_the_same_record_gives_the_same_rows(view: View) -> None:
    for context in CONTEXTS:
        assert encode_rows(view, context) == encode_rows(view, context)


def test_no_two_rows_of_a_record_are_the_same(view: View) -> None:
    for record in RECORDS:
        rows = [encode(row) for row in view.make_rows(record, CONTEXT)]
        assert len(set(rows)) == len(rows)


@pytest.mark.parametrize(
    "exporter", [JSONL, PARQUET], ids=lambda exporter: exporter.name
)
def test_a_format_takes_its_rows_and_replaces_its_own_file(
    view: View, exporter: Exporter, tmp_path: Path
) -> None:
    count = len(encode_rows(view, CONTEXT))
    destination = tmp_path / "rows"
    assert exporter.write(view, RECORDS, destination, CONTEXT) == count
    before = destination.read_bytes()
    assert can_replace(destination)
    assert exporter.write(view, RECORDS, destination, CONTEXT) == count
    assert destination.read_bytes() == before


def test_parquet_has_a_column_for_each_field(view: View, tmp_path: Path) -> None:
    PARQUET.write(view, RECORDS, tmp_path / "rows.parquet", CONTEXT)
    table = parquet.read_table(tmp_path / "rows.parquet")
    assert table.column_names == [field.name for field in fields(view.row_type)]
    assert table.num_rows == len(encode_rows(view, CONTEXT))


def test_a_tree_is_of_kernels_alone(view: View, tmp_path: Path) -> None:
    if view.name == "kernels":
        assert TREE.write(view, RECORDS[:1], tmp_path / "out", CONTEXT) == 1
        return

    with pytest.raises(Misconfigured) as raised:
        TREE.write(view, RECORDS, tmp_path / "out", CONTEXT)
    assert raised.value.code == "bad-format"
    assert not (tmp_path / "out").exists()


def test_a_folder_is_of_rows_that_hold_files(view: View, tmp_path: Path) -> None:
    rows = [row for record in RECORDS for row in view.make_rows(record, CONTEXT)]
    if "files" not in {field.name for field in fields(view.row_type)}:
        with pytest.raises(Misconfigured) as raised:
            FOLDER.write(view, RECORDS, tmp_path / "out", CONTEXT)
        assert raised.value.code == "bad-format"
        return

    assert FOLDER.write(view, RECORDS, tmp_path / "out", CONTEXT) == len(rows)
    for row in rows:
        assert re.fullmatch(r"\w+", row.folder)
        for name in row.files:
            assert re.fullmatch(r"\w[\w.]*", name)
    written = [path for path in (tmp_path / "out").glob("*/*") if path.is_file()]
    assert len(written) == sum(len(row.files) for row in rows)
    lines = (tmp_path / "out/rows.jsonl").read_text().splitlines()
    assert [json.loads(line)["schema"] for line in lines] == (
        [view.schema_name] * len(rows)
    )


def test_published_schemas_are_those_of_the_code() -> None:
    for path in SCHEMAS.glob("*.json"):
        view = next(view for view in VIEWS if view.name == path.stem)
        schema = build_json_schema(view.row_type, view.schema_name)
        assert json.loads(path.read_text()) == json.loads(json.dumps(schema)), (
            f"make it again: kernelset views {view.name} | python -m json.tool --indent 1"
        )
