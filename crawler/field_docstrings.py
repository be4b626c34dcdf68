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
    """Add the field docstrings of `described_type` and its parts to `schema`, and return that."""
    definitions = schema["$defs"]
    for dataclass_type in _iter_dataclasses(described_type, set()):
        definition = definitions.get(dataclass_type.__name__, {})
        properties = definition.get("properties", {})
        for name, docstring in read_field_docstrings(dataclass_type).items():
            if name in properties:
                properties[name]["description"] = docstring

    return schema


def read_field_docstrings(dataclass_type: type) -> dict[str, str]:
    """Return the docstring behind each field of a dataclass that has one, on one line.

    Python keeps no such strings: they are read from the source.
    """
    source = inspect.getsource(dataclass_type)
    (definition,) = ast.parse(textwrap.dedent(source)).body
    assert isinstance(definition, ast.ClassDef)
    docstrings: dict[str, str] = {}
    field = ""

    for statement in definition.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                field = name
            case ast.Expr(value=ast.Constant(value=text)) if field:
                words = str(text).split()
                docstrings[field] = " ".join(words)
                field = ""

    return docstrings


def _iter_dataclasses(hint: Any, visited: set[type]) -> Iterator[type]:
    """Yield the dataclasses that a type hint is made of, each once."""
    if isinstance(hint, type) and is_dataclass(hint) and hint not in visited:
        visited.add(hint)
        yield hint

        field_hints = typing.get_type_hints(hint)
        for field_hint in field_hints.values():
            yield from _iter_dataclasses(field_hint, visited)

    # e.g. the parts of `tuple[Span, ...] | None`
    for argument in typing.get_args(hint):
        yield from _iter_dataclasses(argument, visited)
