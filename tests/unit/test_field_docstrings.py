"""The published schema says of each field what the code says of it."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.dataset.rows.instantiation_schema import build_instantiation_schema
from crawler.field_docstrings import add_field_descriptions, read_field_docstrings


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


def test_the_metadata_of_an_instantiation_is_documented() -> None:
    docstrings = build_instantiation_schema()["$defs"]
    assert "verbatim" in docstrings["Row"]["properties"]["source"]["description"]
    assert "grid" in docstrings["Launch"]["properties"]["setup"]["description"]
    assert (
        "McCabe"
        in docstrings["Measures"]["properties"]["cyclomatic_complexity"]["description"]
    )
