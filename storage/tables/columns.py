"""Column definitions that several tables share."""

from __future__ import annotations

from typing import Any

from sqlmodel import Field


def foreign_id(table: str, **options: Any) -> Any:
    """Return a column that holds the `id` of a row of `table`."""
    return Field(foreign_key=f"{table}.id", **options)
