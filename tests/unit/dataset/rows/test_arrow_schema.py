"""Arrow holds what a row holds, in types that every reader knows."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pyarrow as pa
import pytest

from crawler.codec import decode, to_builtins
from crawler.dataset.rows.arrow_schema import build_arrow_schema, to_arrow_cells
from crawler.dataset.rows.row import SCHEMA_NAME, Row, to_row
from crawler.model import KernelRecord

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
ROWS = [to_row(record) for record in RECORDS]


def test_columns_are_the_fields_of_a_row_in_their_order() -> None:
    schema = build_arrow_schema(Row, SCHEMA_NAME)
    assert schema.names == [field.name for field in fields(Row)]
    assert schema.metadata == {b"kernelset.schema": SCHEMA_NAME.encode()}


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("name", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("borrowed_from", pa.string()),
    ],
)
def test_a_column_has_the_type_of_its_field(column: str, kind: pa.DataType) -> None:
    assert build_arrow_schema(Row, SCHEMA_NAME).field(column).type == kind


def test_a_mapping_is_a_list_of_pairs() -> None:
    kind = build_arrow_schema(Row, SCHEMA_NAME).field("pass_call").type
    pair = kind.value_type
    assert [pair.field(position).name for position in range(2)] == ["key", "value"]


def test_a_mapping_is_a_map_where_that_is_asked_for() -> None:
    schema = build_arrow_schema(Row, SCHEMA_NAME, with_maps=True)
    assert schema.field("pass_call").type == pa.map_(pa.string(), pa.string())


def test_an_optional_part_has_the_type_of_the_part() -> None:
    unit = build_arrow_schema(Row, SCHEMA_NAME).field("unit").type
    assert pa.types.is_struct(unit)
    assert unit.field("source").type == pa.string()


def test_every_row_survives_a_way_through_arrow() -> None:
    cells = [to_arrow_cells(row) for row in ROWS]
    table = pa.Table.from_pylist(cells, schema=build_arrow_schema(Row, SCHEMA_NAME))
    assert table.num_rows == len(ROWS)
    for row, read in zip(ROWS, table.to_pylist(), strict=True):
        plain = to_builtins(row)
        assert read["name"] == row.name
        assert read["span"] == plain["span"]
        assert {pair["key"]: pair["value"] for pair in read["pass_call"]} == (
            row.pass_call
        )
        assert [unit["digest"] for unit in read["ports"]] == [
            unit.digest for unit in row.ports
        ]
        assert (read["unit"] is None) == (row.unit is None)
