"""Column definitions that several tables share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column


def column(
    name: str, *type_and_key: Any, nullable: bool = False, **options: Any
) -> Column[Any]:
    """Return a column that holds a value in every row, unless it is `nullable`."""
    return Column(name, *type_and_key, nullable=nullable, **options)
