"""Arrow schema derived from the dataclass of a row, and rows as Arrow cells."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

import pyarrow as pa

from crawler.codec import to_builtins

_SCALARS: Final = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    bytes: pa.binary(),
}


def build_arrow_schema(
    row_type: type[Any], schema_name: str, *, with_maps: bool = False
) -> pa.Schema:
    """Return the schema of rows of a dataclass.

    A mapping is a list of (key, value), which every reader knows, or `with_maps` a map.
    """
    arrow_fields = _list_fields(row_type, with_maps)
    metadata = {"kernelset.schema": schema_name}
    return pa.schema(arrow_fields, metadata=metadata)


def to_arrow_cells(row: Any, *, with_maps: bool = False) -> dict[str, Any]:
    """Return a row as Arrow takes it for the schema of `build_arrow_schema`."""
    cells: dict[str, Any] = to_builtins(row)
    if with_maps:
        return cells

    row_type: Any = type(row)
    for path in _list_mappings(row_type):
        _pair_mappings(cells, path)
    return cells


def _list_fields(kind: type, with_maps: bool) -> list[pa.Field]:
    hints = typing.get_type_hints(kind)
    arrow_fields: list[pa.Field] = []

    for field in fields(kind):
        arrow_type = _arrow_type(hints[field.name], with_maps)
        arrow_fields.append(pa.field(field.name, arrow_type))

    return arrow_fields


def _arrow_type(hint: Any, with_maps: bool) -> pa.DataType:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)

    if origin is tuple:
        # a pair of strings is a list of two: Arrow has no tuples
        item = _arrow_type(arguments[0], with_maps)
        return pa.list_(item)

    if origin is dict:
        key, value = (_arrow_type(argument, with_maps) for argument in arguments)
        if with_maps:
            return pa.map_(key, value)
        pair = pa.struct([pa.field("key", key), pa.field("value", value)])
        return pa.list_(pair)

    if origin in (types.UnionType, typing.Union):
        # every field may be null in Arrow
        (required,) = (kind for kind in arguments if kind is not type(None))
        return _arrow_type(required, with_maps)

    if is_dataclass(hint):
        dataclass_type = typing.cast("type", hint)
        return pa.struct(_list_fields(dataclass_type, with_maps))

    is_enum = issubclass(hint, StrEnum)
    return _SCALARS[str if is_enum else hint]


@cache
def _list_mappings(row_type: type[object]) -> tuple[tuple[str, ...], ...]:
    """Return where mappings stand in rows of a dataclass: the fields that lead to each."""
    return tuple(_iter_mappings(row_type))


def _iter_mappings(hint: Any) -> Iterator[tuple[str, ...]]:
    if typing.get_origin(hint) is dict:
        yield ()
        return

    if is_dataclass(hint):
        dataclass_type = typing.cast("type", hint)
        hints = typing.get_type_hints(dataclass_type)
        for field in fields(dataclass_type):
            for path in _iter_mappings(hints[field.name]):
                yield (field.name, *path)
        return

    # what a tuple or an optional part holds
    for argument in typing.get_args(hint):
        yield from _iter_mappings(argument)


def _pair_mappings(cell: Any, path: tuple[str, ...]) -> None:
    """Replace the mapping to which `path` leads by its pairs, in each part of a list."""
    if isinstance(cell, (tuple, list)):
        for part in cell:
            _pair_mappings(part, path)
        return
    if cell is None:
        return

    name, *further = path
    if further:
        _pair_mappings(cell[name], tuple(further))
    else:
        pairs = cell[name].items()
        cell[name] = [{"key": key, "value": value} for key, value in pairs]
