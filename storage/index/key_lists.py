"""Lists of keys as one parameter of a statement.

The text of the statement is then the same however many keys there are: SQLAlchemy compiles it once,
SQLite prepares it once, and Postgres plans it once for a connection.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import ARRAY, Boolean, ColumnElement, Integer, String, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator


class _KeyList(TypeDecorator[Any]):
    """Keys as an array of Postgres, or as the JSON list that SQLite unfolds."""

    impl = String
    cache_ok = True

    def __init__(self, is_number: bool) -> None:
        super().__init__()
        self.is_number = is_number

    def load_dialect_impl(self, dialect: Any) -> Any:
        """Return the type in which the driver is given the keys."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(String())
        return dialect.type_descriptor(ARRAY(Integer if self.is_number else String))

    def process_bind_param(self, value: Any, dialect: Any) -> Any:
        """Return the keys as the driver takes them."""
        # both databases hold the keys in UTF-8, and the JSON says them in ASCII
        return json.dumps(list(value)) if dialect.name == "sqlite" else list(value)


class _IsAmong(FunctionElement[bool]):
    type = Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:
        """Return the condition as it is: SQLite looks up no index for `(…) = 1`."""
        return self


@compiles(_IsAmong, "sqlite")
def _compile_for_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    column, keys = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({keys}))"  # noqa: S608


@compiles(_IsAmong, "postgresql")
def _compile_for_postgres(element: Any, compiler: Any, **options: Any) -> str:
    column, keys = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} = ANY ({keys})"


def is_among(column: ColumnElement[Any], parameter: str) -> ColumnElement[bool]:
    """Return the condition that `column` is one of the keys that are given as `parameter`."""
    is_number = isinstance(column.type, Integer)
    return _IsAmong(column, bindparam(parameter, type_=_KeyList(is_number)))
