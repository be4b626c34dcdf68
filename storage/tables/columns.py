"""What columns have in common."""

from __future__ import annotations

from typing import Any

from sqlmodel import Field


def of(table: str, **options: Any) -> Any:
    """Return a column that holds the `id` of a row of `table`."""
    return Field(foreign_key=f"{table}.id", **options)
