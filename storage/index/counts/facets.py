"""Count the values of several fields among the same few kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row

from storage.index.counts.value_counts import read_value_counts, select_value_counts
from storage.index.key_lists import is_among
from storage.index.query.terms import Field
from storage.kernel_counts import ValueCount
from storage.tables import KERNEL


def read_facets(
    connection: Connection,
    kernels: Sequence[Row[Any]],
    fields: Mapping[str, tuple[Field, str]],
) -> dict[str, list[ValueCount]]:
    """Return each field's counts among these rows of the kernel table."""
    ids = [kernel.id for kernel in kernels]
    counts: dict[str, list[ValueCount]] = {}
    for name, (field, target) in fields.items():
        is_chosen = is_among(KERNEL.c.id, "kernels")
        statement = select_value_counts(field, target, is_chosen).params(kernels=ids)
        counts[name] = read_value_counts(connection, statement, field.kind)

    return counts
