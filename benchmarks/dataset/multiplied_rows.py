"""Multiply the rows of an index in its database: a million rows in minutes, each in full."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    case,
    func,
    insert,
    literal,
    select,
)

from storage.tables import (
    BUILD,
    CRAWL_TASK,
    DEFINITION,
    INSTANTIATION,
    KERNEL,
    KERNEL_OPERATOR,
    KERNEL_TAG,
    KERNEL_TEXT,
    LAUNCH,
    PORT,
    PORT_BLOCKER,
    REVIEW,
    REVIEW_STATE,
    REVISION,
    REVISION_TASK,
    RUN,
    TASK,
    UNIT,
)

_TABLES: Final = (
    TASK,
    CRAWL_TASK,
    REVISION,
    REVISION_TASK,
    UNIT,
    DEFINITION,
    PORT,
    PORT_BLOCKER,
    KERNEL,
    KERNEL_TAG,
    KERNEL_OPERATOR,
    INSTANTIATION,
    LAUNCH,
    KERNEL_TEXT,
    BUILD,
    RUN,
    REVIEW,
    REVIEW_STATE,
)
"""One comes after those that it references."""
_NUMBERS: Final = {
    (TASK, "id"): TASK,
    (CRAWL_TASK, "task"): TASK,
    (REVISION_TASK, "task"): TASK,
    (REVISION_TASK, "revision"): REVISION,
    (REVISION, "id"): REVISION,
    (KERNEL, "id"): KERNEL,
    (KERNEL, "revision"): REVISION,
    **{(table, "id"): table for table in (BUILD, RUN, REVIEW)},
    **{
        (table, "kernel"): KERNEL
        for table in (KERNEL_TAG, KERNEL_OPERATOR, INSTANTIATION, LAUNCH, KERNEL_TEXT)
    },
}
"""Columns of numbers, with the table whose ids they hold."""
_DIGESTS: Final = frozenset(
    {
        *((UNIT, name) for name in ("digest", "token_digest")),
        *((DEFINITION, name) for name in ("digest", "near_cluster")),
        *((PORT, name) for name in ("unit", "ported")),
        *((PORT_BLOCKER, name) for name in ("unit", "ported")),
        *((KERNEL, name) for name in ("unit", "cluster", "definition")),
        *((table, "unit") for table in (BUILD, RUN, REVIEW, REVIEW_STATE)),
    }
)
_NAMES: Final = frozenset(
    {(TASK, "key"), (REVISION, "repo"), (REVISION, "name"), (KERNEL, "repo")}
)
_MARK_CHARACTERS: Final = 5


def multiply_rows(connection: Connection, copy: int) -> None:
    """Add one more copy of the rows that were there before the first copy was made."""
    for table in _TABLES:
        columns = list(table.columns)
        values = [_value_in_copy(table, column.name, copy) for column in columns]
        chosen = select(*values).where(is_original(table))
        connection.execute(insert(table).from_select(columns, chosen))


def _value_in_copy(table: Table, name: str, copy: int) -> ColumnElement[Any]:
    column = table.c[name]
    counted = _NUMBERS.get((table, name))
    if counted is not None:
        greatest = select(func.max(counted.c.id)).where(is_original(counted))
        # kernels may be of no task
        return column + func.coalesce(greatest.scalar_subquery(), 0) * copy
    if (table, name) in _NAMES:
        return column + f"-{copy}"
    if (table, name) in _DIGESTS:
        return _mark_digest(column, copy)
    return column


def _mark_digest(column: ColumnElement[Any], copy: int) -> ColumnElement[Any]:
    """Return a digest of its own for each copy; what is no digest stays as it is."""
    marked = literal(_mark(copy)) + func.substr(column, _MARK_CHARACTERS + 1)
    return case((func.length(column) > _MARK_CHARACTERS, marked), else_=column)


def _mark(copy: int) -> str:
    # no digest of a content begins so
    return f"x{copy:04d}"


def is_original(table: Table) -> ColumnElement[bool]:
    """Return what holds of the rows of a table that are no copies."""
    # ranges of keys: a scan of what was copied would take longer with each copy
    if table in (TASK, CRAWL_TASK):
        column = table.c.id if table is TASK else table.c.task
        is_first = ~TASK.c.key.contains("-")
        return column <= select(func.max(TASK.c.id)).where(is_first).scalar_subquery()
    if table is REVISION_TASK:
        return table.c.revision <= _greatest_original(REVISION)
    if table in (REVISION, KERNEL):
        return table.c.id <= _greatest_original(table)
    if table in (UNIT, DEFINITION) or "unit" in table.c:
        key = "digest" if table in (UNIT, DEFINITION) else "unit"
        return table.c[key] < literal("x")

    return table.c.kernel <= _greatest_original(KERNEL)


def _greatest_original(table: Table) -> ColumnElement[Any]:
    originals = ~REVISION.c.repo.contains("-")
    revision = select(func.max(REVISION.c.id)).where(originals)
    if table is REVISION:
        return revision.scalar_subquery()

    is_of_originals = KERNEL.c.revision <= revision.scalar_subquery()
    return select(func.max(KERNEL.c.id)).where(is_of_originals).scalar_subquery()
