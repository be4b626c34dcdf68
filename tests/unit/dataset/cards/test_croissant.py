"""The Croissant metadata of a folder says of each column what its Parquet files hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pyarrow as pa
import pytest

from crawler.dataset.cards.croissant import describe_in_croissant
from crawler.dataset.choice import list_views
from crawler.dataset.interface import View
from crawler.dataset.rows.arrow_schema import build_arrow_schema
from crawler.field_docstrings import read_field_docstrings

VIEWS = list_views()
SPLITS = ("train", "test")


def describe(view: View) -> dict[str, Any]:
    return describe_in_croissant(view, SPLITS, ["MIT", "Apache-2.0"])


def iter_nodes(value: object) -> Iterator[dict[str, Any]]:
    """Yield every object within a JSON value."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from iter_nodes(part)
    elif isinstance(value, list):
        for part in value:
            yield from iter_nodes(part)


def list_fields(view: View, split: str = "train") -> list[dict[str, Any]]:
    records = describe(view)["recordSet"]
    (record_set,) = [record for record in records if record["@id"] == split]
    described: list[dict[str, Any]] = record_set["field"]
    return described


@pytest.fixture(params=VIEWS, ids=lambda view: view.name)
def view(request: pytest.FixtureRequest) -> View:
    chosen: View = request.param
    return chosen


def test_it_is_json_and_no_identifier_stands_twice(view: View) -> None:
    metadata = json.loads(json.dumps(describe(view)))
    declared = [
        node["@id"]
        for node in iter_nodes({**metadata, "@context": {}})
        if "@id" in node and "@type" in node
    ]
    assert declared
    assert len(set(declared)) == len(declared)


def test_what_is_referred_to_is_declared(view: View) -> None:
    metadata = {**describe(view), "@context": {}}
    declared = {
        node["@id"]
        for node in iter_nodes(metadata)
        if "@type" in node and "@id" in node
    }
    for node in iter_nodes(metadata):
        if "fileSet" in node:
            assert node["fileSet"]["@id"] in declared


def test_each_split_has_its_files_and_its_records(view: View) -> None:
    metadata = describe(view)
    patterns = [files["includes"] for files in metadata["distribution"]]
    assert patterns == ["data/train-*.parquet", "data/test-*.parquet"]
    assert [records["name"] for records in metadata["recordSet"]] == list(SPLITS)
    names = [
        [field["name"].partition("/")[2] for field in records["field"]]
        for records in metadata["recordSet"]
    ]
    assert names[0] == names[1]


def test_columns_are_those_of_the_row_with_their_meanings(view: View) -> None:
    columns = {field.name for field in fields(view.row_type)}
    meanings = read_field_docstrings(view.row_type)
    for field in list_fields(view):
        column = field["name"].partition("/")[2]
        assert column in columns
        assert field["description"] == " ".join(meanings[column].split())


def test_every_plain_column_is_described(view: View) -> None:
    schema = build_arrow_schema(view.row_type, view.schema_name)
    plain = {
        field.name
        for field in schema
        if pa.types.is_string(field.type)
        or pa.types.is_integer(field.type)
        or pa.types.is_floating(field.type)
        or pa.types.is_boolean(field.type)
    }
    described = {field["name"].partition("/")[2] for field in list_fields(view)}
    assert "schema" in plain
    assert plain <= described


def test_types_are_those_of_the_files(view: View) -> None:
    schema = build_arrow_schema(view.row_type, view.schema_name)
    for field in list_fields(view):
        if "dataType" not in field:
            continue
        column_type = schema.field(field["source"]["extract"]["column"]).type
        assert bool(field.get("repeated")) == pa.types.is_list(column_type)
        if pa.types.is_list(column_type):
            column_type = column_type.value_type
        assert field["dataType"] == name_type(column_type)


def name_type(column_type: pa.DataType) -> str:
    if pa.types.is_boolean(column_type):
        return "sc:Boolean"
    if pa.types.is_integer(column_type):
        return "sc:Integer"
    if pa.types.is_floating(column_type):
        return "sc:Float"
    return "sc:Text"


def test_parts_of_a_structure_lie_one_step_within_its_column(view: View) -> None:
    schema = build_arrow_schema(view.row_type, view.schema_name)
    for field in list_fields(view):
        for part in field.get("subField", []):
            source = part["source"]
            column = schema.field(source["extract"]["column"])
            path = source["transform"]["jsonPath"]
            assert "." not in path
            names = [child.name for child in column.type]
            assert path in names


def test_licences_and_the_version_of_the_form_are_named(view: View) -> None:
    metadata = describe(view)
    assert metadata["license"] == ["MIT", "Apache-2.0"]
    assert metadata["name"] == f"kernelset-{view.name}"
    version = view.schema_name.rpartition("/")[2]
    assert metadata["version"] == f"{version}.0.0"
