"""Add dataclass field docstrings to a JSON Schema as descriptions."""

from __future__ import annotations

import ast
import inspect
import textwrap
import typing
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any


def add_field_descriptions(
    schema: dict[str, Any], described_type: type
) -> dict[str, Any]:
    """Add the docstrings of the fields of `described_type`, and of all that it is made of, to
    its schema, and return that.
    """
    definitions = schema["$defs"]
    for each in dict.fromkeys(_parts(described_type, set())):
        properties = definitions.get(each.__name__, {}).get("properties", {})
        for name, note in read_field_docstrings(each).items():
            if name in properties:
                properties[name]["description"] = note
    return schema


def read_field_docstrings(dataclass_type: type) -> dict[str, str]:
    """Return the docstring behind each field of a dataclass that has one, on one line."""
    (declared,) = ast.parse(textwrap.dedent(inspect.getsource(dataclass_type))).body
    assert isinstance(declared, ast.ClassDef)
    notes: dict[str, str] = {}
    field = ""
    for statement in declared.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(
            statement.target, ast.Name
        ):
            field = statement.target.id
        elif (
            field
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
        ):
            notes[field] = " ".join(str(statement.value.value).split())
            field = ""
    return notes


def _parts(hint: Any, seen: set[type]) -> Iterator[type]:
    """Yield the dataclasses that a type is made of."""
    if isinstance(hint, type) and is_dataclass(hint) and hint not in seen:
        seen.add(hint)
        yield hint
        for inner in typing.get_type_hints(hint).values():
            yield from _parts(inner, seen)
    for argument in typing.get_args(hint):
        yield from _parts(argument, seen)
