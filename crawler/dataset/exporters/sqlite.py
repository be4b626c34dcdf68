"""SQLite exporter: one table of rows, for Datasette and for whoever asks in SQL."""

from __future__ import annotations

import sqlite3
import types
import typing
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import fields, is_dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, Final

from crawler.codec import encode
from crawler.dataset.destination import create_file_atomically
from crawler.dataset.interface import Exporter, RowContext, View
from crawler.model import KernelRecord

_TYPES: Final = {str: "TEXT", int: "INTEGER", float: "REAL", bool: "INTEGER"}
_JSON: Final = "TEXT"
"""Lists, mappings and what may be missing stand as JSON, which SQLite and Datasette read."""
_ROWS_PER_INSERT: Final = 256
_MAGIC: Final = b"SQLite format 3\0"
_APPLICATION_ID: Final = 0x6B736574
"""Says that we wrote a database: `kset`."""
_APPLICATION_ID_OFFSET: Final = 68
"""In the header of a database (https://www.sqlite.org/fileformat2.html)."""


class Sqlite:
    """Writes a database with a table that has the view's name.

    A structure within a row becomes columns, `place_path` for `place.path`; a list or a mapping
    becomes a column of JSON.
    """

    name = "sqlite"

    def write(
        self,
        view: View,
        records: Iterable[KernelRecord],
        destination: Path,
        context: RowContext,
    ) -> int:
        """Stream the rows of `records` to the file `destination` and return how many there were."""
        columns = list(_iter_columns(view.row_type, ""))
        rows = (row for record in records for row in view.make_rows(record, context))
        count = 0
        with (
            create_file_atomically(destination) as file,
            closing(sqlite3.connect(file.name, isolation_level=None)) as connection,
        ):
            _create_table(connection, view, columns)
            insert = _render_insert(view, columns)
            while group := list(islice(rows, _ROWS_PER_INSERT)):
                cells = [list(_iter_cells(row)) for row in group]
                connection.executemany(insert, cells)
                count += len(group)

            connection.execute("COMMIT")

        return count

    def is_own_file(self, path: Path) -> bool:
        """Tell whether a file is a database with our application id."""
        own_id = _APPLICATION_ID.to_bytes(4, "big")
        with path.open("rb") as file:
            header = file.read(_APPLICATION_ID_OFFSET + len(own_id))
        return header.startswith(_MAGIC) and header[_APPLICATION_ID_OFFSET:] == own_id


def _create_table(
    connection: sqlite3.Connection, view: View, columns: list[tuple[str, str]]
) -> None:
    # the file has no other name yet: nothing is lost with a journal that is not there
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.execute("BEGIN")
    definitions = ", ".join(f'"{name}" {kind}' for name, kind in columns)
    connection.execute(f'CREATE TABLE "{view.name}" ({definitions})')


def _render_insert(view: View, columns: list[tuple[str, str]]) -> str:
    marks = ", ".join("?" for _ in columns)
    # names of views and fields are our own
    return f'INSERT INTO "{view.name}" VALUES ({marks})'  # noqa: S608


def _iter_columns(row_type: type[Any], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield name and type of each column of a dataclass."""
    hints = typing.get_type_hints(row_type)
    for field in fields(row_type):
        name = prefix + field.name
        hint = hints[field.name]
        if is_dataclass(hint):
            yield from _iter_columns(typing.cast("type", hint), f"{name}_")
        elif typing.get_origin(hint) in (types.UnionType, typing.Union):
            yield name, _JSON
        elif isinstance(hint, type) and issubclass(hint, StrEnum):
            yield name, _TYPES[str]
        else:
            yield name, _TYPES.get(hint, _JSON)


def _iter_cells(row: Any) -> Iterator[object]:
    """Yield the cells of a row in the order of its columns."""
    hints = typing.get_type_hints(type(row))
    for field in fields(row):
        value = getattr(row, field.name)
        if is_dataclass(hints[field.name]):
            yield from _iter_cells(value)
        elif value is None or isinstance(value, int | float):
            yield value
        elif isinstance(value, str):
            # a file that is not UTF-8 was read with surrogates, which SQLite cannot hold
            yield str(value).encode("utf-8", "replace").decode()
        else:
            yield encode(value).decode()


PLUGIN: Final[Exporter] = Sqlite()
