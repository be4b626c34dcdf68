"""The published schema says of each field what the code says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from crawler.dataset.rows.row import build_row_schema
from crawler.dataset.trees.instantiation_file import build_instantiation_schema
from crawler.dataset.trees.kernel_file import build_kernel_schema
from crawler.field_docstrings import add_field_descriptions, read_field_docstrings
from crawler.validate.bundle import manifest


@dataclass(frozen=True)
class Inner:
    """Not a field's."""

    count: int
    """How
    many."""
    bare: int = 0


@dataclass(frozen=True)
class Outer:
    inner: tuple[Inner, ...]
    """All of them."""


def test_docstrings_behind_fields_become_descriptions_however_deep() -> None:
    assert read_field_docstrings(Inner) == {"count": "How many."}
    schema = {
        "$defs": {
            "Outer": {"properties": {"inner": {"type": "array"}}},
            "Inner": {
                "properties": {
                    "count": {"type": "integer"},
                    "bare": {"type": "integer"},
                }
            },
        }
    }
    docstrings = add_field_descriptions(schema, Outer)["$defs"]
    assert docstrings["Outer"]["properties"]["inner"]["description"] == "All of them."
    assert docstrings["Inner"]["properties"]["count"] == {
        "type": "integer",
        "description": "How many.",
    }
    assert "description" not in docstrings["Inner"]["properties"]["bare"]


@pytest.mark.parametrize(
    "build_schema",
    [
        build_row_schema,
        build_kernel_schema,
        build_instantiation_schema,
        manifest.json_schema,
    ],
)
def test_no_published_field_is_without_a_description(
    build_schema: Callable[[], dict[str, Any]],
) -> None:
    bare_fields: list[str] = []
    for name, definition in build_schema()["$defs"].items():
        for field, schema in definition.get("properties", {}).items():
            if not schema.get("description"):
                bare_fields.append(f"{name}.{field}")

    assert bare_fields == []


def test_the_metadata_of_a_kernel_is_documented() -> None:
    docstrings = build_kernel_schema()["$defs"]
    assert "verbatim" in docstrings["Row"]["properties"]["source"]["description"]
    assert "grid" in docstrings["Launch"]["properties"]["setup"]["description"]
    assert (
        "McCabe"
        in docstrings["Measures"]["properties"]["cyclomatic_complexity"]["description"]
    )
