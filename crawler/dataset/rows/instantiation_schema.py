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
    known = schema["$defs"]
    _drop(known["Row"], OMITTED_ROW_FIELDS)
    _drop(known["UnitRow"], OMITTED_UNIT_FIELDS)
    known["Row"]["title"] = "Instantiation of a kernel"
    known["Row"]["description"] = (
        "One template instantiation of one kernel definition, or a kernel without a unit."
    )
    added = {
        "owner": {
            **_TEXT,
            "description": "What the file's name is of: path, name and label.",
        },
        "files": {
            "type": "array",
            "items": _TEXT,
            "description": "The sources beside this file.",
        },
        "test_files": {
            "type": "array",
            "items": _TEXT,
            "description": "The kernel's tests, from the dataset's own folder, at the depth `full`.",
        },
        "flat": {
            "$ref": "#/$defs/Flat",
            "description": "The kernel alone, template-free: the depth `pure`.",
        },
        "instantiation": {
            "anyOf": [{"type": "null"}, {"$ref": "#/$defs/Instantiation"}]
        },
        "units": {
            "type": "object",
            "description": "Dialect to the unit that the source of that dialect is cut from.",
            "additionalProperties": {"$ref": "#/$defs/UnitRow"},
        },
    }
    known["Row"]["properties"].update(added)
    known["Row"]["required"] = [*known["Row"]["required"], *added]
    known["Row"]["additionalProperties"] = False
    return schema


def _drop(definition: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        del definition["properties"][name]
    definition["required"] = [
        name for name in definition["required"] if name not in names
    ]
