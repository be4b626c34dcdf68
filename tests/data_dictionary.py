"""Print the data dictionary of `docs/`, as the code says it.

python -m tests.data_dictionary > docs/data-dictionary.md
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from crawler.codec import decode, encode
from crawler.dataset.choice import list_views
from crawler.dataset.interface import RowContext
from crawler.field_docstrings import read_field_docstrings
from crawler.model import KernelRecord

RECORDS: Final = Path(__file__).parent / "fixtures/records.json"
_HEAD: Final = """\
# Data dictionary

Each field of each view's rows: its type, its meaning, and an example out of a small project. The JSON Schemas in
`crawler/dataset/schemas/` say the same to programs. What goes from text to text is an object in JSON and a
map in Parquet. [dataset.md](dataset.md) says what the views are for.
"""
_SCALARS: Final = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true or false",
    bytes: "bytes",
}
_MAX_EXAMPLE_CHARACTERS: Final = 60


def render_data_dictionary() -> str:
    """Return the page."""
    records = decode(RECORDS.read_bytes(), tuple[KernelRecord, ...])
    parts = [_HEAD]
    structures: dict[str, tuple[type[Any], list[Any]]] = {}
    for view in list_views():
        rows = [
            row for record in records for row in view.make_rows(record, RowContext())
        ]
        parts.append(f"## {view.name}\n\nA row is {view.summary}.\n")
        parts.append(_render_fields(view.row_type, rows))
        _collect_structures(view.row_type, rows, structures)

    parts.append("## Structures\n\nWhat fields of several views hold.\n")
    for name, (structure, values) in sorted(structures.items()):
        parts.append(f"### {name}\n")
        parts.append(_render_fields(structure, values))

    return "\n".join(parts)


def _render_fields(structure: type[Any], values: Iterable[Any]) -> str:
    hints = typing.get_type_hints(structure)
    meanings = read_field_docstrings(structure)
    listed = list(values)
    lines = ["| field | type | meaning | example |", "|---|---|---|---|"]
    for field in fields(structure):
        cells = (
            f"`{field.name}`",
            _spell_type(hints[field.name]),
            _escape(meanings.get(field.name, "")),
            _find_example(getattr(value, field.name) for value in listed),
        )
        lines.append(f"| {' | '.join(cells)} |")

    return "\n".join([*lines, ""])


def _spell_type(hint: Any) -> str:
    arguments = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin is tuple:
        return f"list of {_spell_type(arguments[0])}"
    if origin is dict:
        return f"{_spell_type(arguments[0])} to {_spell_type(arguments[1])}"
    if origin in (types.UnionType, typing.Union):
        (required,) = (kind for kind in arguments if kind is not type(None))
        return f"{_spell_type(required)}, or null"
    if is_dataclass(hint):
        name = typing.cast("type", hint).__name__
        return f"[{name}](#{name.lower()})"
    if issubclass(hint, StrEnum):
        return "one of " + ", ".join(f"`{value}`" for value in hint)
    return _SCALARS[hint]


def _find_example(values: Iterable[Any]) -> str:
    """Return the first value that says something, as JSON: a text may be cut, others are short."""
    for value in values:
        text = encode(value).decode("utf-8", "replace")
        is_short = len(text) <= _MAX_EXAMPLE_CHARACTERS
        if value and (is_short or isinstance(value, str)):
            shown_text = text if is_short else f"{text[:_MAX_EXAMPLE_CHARACTERS]}…"
            shown_text = _escape(shown_text).replace("`", '"')
            return f"`{shown_text}`"
    return ""


def _escape(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _collect_structures(
    structure: type[Any],
    values: list[Any],
    structures: dict[str, tuple[type[Any], list[Any]]],
) -> None:
    """Gather the dataclasses within a row with what the rows hold of them."""
    hints = typing.get_type_hints(structure)
    for field in fields(structure):
        own = [getattr(value, field.name) for value in values]
        for nested in _iter_dataclasses(hints[field.name]):
            known = structures.setdefault(nested.__name__, (nested, []))
            is_new = not known[1]
            parts = [part for value in own for part in _iter_parts(value, nested)]
            known[1].extend(parts)
            if is_new:
                _collect_structures(nested, parts, structures)


def _iter_dataclasses(hint: Any) -> Iterator[type[Any]]:
    if is_dataclass(hint):
        yield typing.cast("type", hint)
    for argument in typing.get_args(hint):
        yield from _iter_dataclasses(argument)


def _iter_parts(value: Any, kind: type[Any]) -> Iterator[Any]:
    if isinstance(value, kind):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _iter_parts(item, kind)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _iter_parts(item, kind)


if __name__ == "__main__":
    sys.stdout.write(render_data_dictionary())
