"""The metadata of a kernel in its folder: its row, without the texts that lie beside it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Final

from crawler.codec import to_builtins
from crawler.dataset.rows.row import Row, build_row_schema
from crawler.dataset.texts.flatten import Flat

_OMITTED_ROW_FIELDS: Final = ("unit", "ports", "pure", "tests")
"""Fields of a row whose texts lie beside the file."""
_OMITTED_UNIT_FIELDS: Final = ("source", "instantiations")
_TEXT: Final = {"type": "string"}
_FILE_NAMES: Final = {"type": "array", "items": _TEXT}


def describe_kernel(
    row: Row,
    flat: Flat | None,
    owner: str,
    files: Sequence[str],
    test_files: Sequence[str],
) -> dict[str, Any]:
    """Return the content of a kernel's file; `flat` is of one that is no template."""
    metadata: dict[str, Any] = to_builtins(row)
    for field in _OMITTED_ROW_FIELDS:
        del metadata[field]

    return {
        **metadata,
        "owner": owner,
        "files": list(files),
        "test_files": list(test_files),
        "flat": to_builtins(flat),
        "units": _describe_units(row),
    }


def _describe_units(row: Row) -> dict[str, dict[str, Any]]:
    units: dict[str, dict[str, Any]] = {}
    for unit in (row.unit, *row.ports):
        if unit is None:
            continue

        fields: dict[str, Any] = to_builtins(unit)
        for field in _OMITTED_UNIT_FIELDS:
            del fields[field]

        units[unit.dialect] = fields

    return units


def build_kernel_schema() -> dict[str, Any]:
    """Return the JSON Schema, as it lies beside this file."""
    schema = deepcopy(build_row_schema())
    definitions = schema["$defs"]
    _drop_fields(definitions["Row"], _OMITTED_ROW_FIELDS)
    _drop_fields(definitions["UnitRow"], _OMITTED_UNIT_FIELDS)
    definitions["Row"]["title"] = "A kernel in its folder"
    definitions["Row"]["description"] = (
        "One kernel definition, with all that its instantiations share."
    )
    added_fields = {
        "owner": {
            **_TEXT,
            "description": (
                "What the folder's name belongs to, whatever moves in its source: "
                "path, kernel and template."
            ),
        },
        "files": {
            **_FILE_NAMES,
            "description": (
                "The files of the folder beside this one, those of instantiations among them."
            ),
        },
        "test_files": {
            **_FILE_NAMES,
            "description": (
                "The kernel's tests, from the dataset's own folder, at the depth `full`."
            ),
        },
        "flat": {
            "anyOf": [{"type": "null"}, {"$ref": "#/$defs/Flat"}],
            "description": (
                "The kernel alone: the depth `pure`; null for a template, whose "
                "instantiations have one each."
            ),
        },
        "units": {
            "type": "object",
            "description": "Dialect to what is known of the unit beside the source itself.",
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
