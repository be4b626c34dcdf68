"""JSON Schema of the metadata file beside each exported source."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

from crawler.dataset.rows import row

OMITTED_ROW_FIELDS: Final = ("unit", "ports", "instantiations", "pure", "tests")
"""Fields of a row that stand in no such file: the sources lie beside it."""
OMITTED_UNIT_FIELDS: Final = ("source", "instantiations")
_TEXT: Final = {"type": "string"}


def build_instantiation_schema() -> dict[str, Any]:
    """Return the JSON Schema, as it lies beside this file."""
    schema = deepcopy(row.build_row_schema())
    definitions = schema["$defs"]
    _drop_fields(definitions["Row"], OMITTED_ROW_FIELDS)
    _drop_fields(definitions["UnitRow"], OMITTED_UNIT_FIELDS)
    definitions["Row"]["title"] = "Instantiation of a kernel"
    definitions["Row"]["description"] = (
        "One template instantiation of one kernel definition, or a kernel without a unit."
    )
    added_fields = {
        "owner": {
            **_TEXT,
            "description": (
                "What the file's name belongs to, whatever moves in its source: "
                "path, kernel, template and label."
            ),
        },
        "files": {
            "type": "array",
            "items": _TEXT,
            "description": "The sources beside this file.",
        },
        "test_files": {
            "type": "array",
            "items": _TEXT,
            "description": (
                "The kernel's tests, from the dataset's own folder, at the depth `full`."
            ),
        },
        "flat": {
            "$ref": "#/$defs/Flat",
            "description": "The kernel alone, template-free: the depth `pure`.",
        },
        "instantiation": {
            "anyOf": [{"type": "null"}, {"$ref": "#/$defs/Instantiation"}],
            "description": "The template arguments that this file is of; null for a plain kernel.",
        },
        "units": {
            "type": "object",
            "description": "Dialect to the unit that the source of that dialect is cut from.",
            "additionalProperties": {"$ref": "#/$defs/UnitRow"},
        },
    }
    definitions["Row"]["properties"].update(added_fields)
    definitions["Row"]["required"] = [*definitions["Row"]["required"], *added_fields]
    definitions["Row"]["additionalProperties"] = False
    return schema


def _drop_fields(definition: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        del definition["properties"][name]
    definition["required"] = [
        name for name in definition["required"] if name not in names
    ]
