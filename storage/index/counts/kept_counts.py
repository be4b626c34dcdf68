"""Counts of fields that take seconds to count, kept right by whoever writes.

The first look at a field counts it. From its beginning on each writer counts the kernels that it
touches before and after it writes, and adds the difference, in its own transaction. All writers
hold `AdvisoryLock.INDEX`, so no two of them count at once. A change to what is counted needs a
migration that empties the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    delete,
    func,
    select,
    true,
    update,
)

from storage.database.base import upsert
from storage.database.chunks import iter_chunks
from storage.database.engine import (
    AdvisoryLock,
    is_embedded,
    read_transaction,
    write_transaction,
)
from storage.index.counts.value_counts import (
    read_value_counts,
    select_value_counts,
    sort_value_counts,
)
from storage.index.query.fields import FIELDS, VERDICT_FIELDS
from storage.index.query.terms import Field
from storage.kernel_counts import ValueCount
from storage.tables import KERNEL, PORT, VALUE_COUNT

BUILD_FIELDS: Final = ("pass_call", "fidelity", "reasons")
"""Fields that a build may change."""
RUN_FIELDS: Final = (
    *(name for name in VERDICT_FIELDS if name not in BUILD_FIELDS),
    "reasons",
)
KEPT_FIELDS: Final = (*VERDICT_FIELDS, "reasons", "wave")
_Key = tuple[str, str, str]
"""(field, value, target)."""
_KEPT: Final = 0
_BEING_COUNTED: Final = -1
_IS_STATE: Final = VALUE_COUNT.c.value == ""


def count_kernels(
    engine: Engine, field: Field, target: str, is_chosen: ColumnElement[bool] | None
) -> list[ValueCount]:
    """Return how many of the chosen kernels, or of all, have each value of a field."""
    if is_chosen is None and field.name in KEPT_FIELDS:
        return count_all_kernels(engine, field.name, target)

    statement = select_value_counts(field, target, is_chosen)
    with read_transaction(engine) as connection:
        return read_value_counts(connection, statement, field.kind)


def count_all_kernels(engine: Engine, field: str, target: str) -> list[ValueCount]:
    """Return how many of all kernels have each value, the most frequent first; they are kept."""
    with read_transaction(engine) as connection:
        state, recorded = _read_rows(connection, field)
        may_write = _may_write(connection)
    if state == _KEPT:
        return _list_counts(recorded, target)

    if may_write:
        with write_transaction(engine, AdvisoryLock.INDEX) as connection:
            _record_changes(connection, field)

    # for seconds or minutes, in which others write: what they changed until here is in the
    # rows of this same state of the database, and what they change later only in later ones
    with read_transaction(engine) as connection:
        _, recorded = _read_rows(connection, field)
        counted = _count_kernels(connection, [field], [true()])

    if may_write:
        with write_transaction(engine, AdvisoryLock.INDEX) as connection:
            _keep_counts(connection, field, counted, recorded)
    return _list_counts(counted, target)


def forget_counts(connection: Connection) -> None:
    """Keep no counts any more, until somebody asks again."""
    connection.execute(delete(VALUE_COUNT))


@contextmanager
def adjust_counts(
    connection: Connection,
    kernels: Sequence[ColumnElement[bool]],
    fields: Collection[str] = KEPT_FIELDS,
) -> Iterator[None]:
    """Bring kept counts up to date with what is written within.

    Each of `kernels` is the condition for some of those that are touched; none meets two.
    """
    kept_fields = _list_kept_fields(connection).intersection(fields)
    before = _count_kernels(connection, kept_fields, kernels)
    yield
    changes = _count_kernels(connection, kept_fields, kernels)
    changes.subtract(before)
    _add_counts(connection, changes)


@contextmanager
def adjust_counts_of_units(
    connection: Connection,
    units: Collection[str],
    fields: Collection[str] = KEPT_FIELDS,
) -> Iterator[None]:
    """Do the same for the kernels for which builds or runs of `units` may speak: for those with
    such a unit, and for those with such a port.
    """
    originals = set(units)
    for chunk in iter_chunks(units):
        ported = select(PORT.c.unit).where(PORT.c.ported.in_(chunk))
        originals.update(connection.scalars(ported))

    kernels = [KERNEL.c.unit.in_(chunk) for chunk in iter_chunks(originals)]
    with adjust_counts(connection, kernels, fields):
        yield


def _read_rows(connection: Connection, field: str) -> tuple[int | None, Counter[_Key]]:
    """Return the state of a field, `None` where nobody asked for it yet, and its rows."""
    state: int | None = None
    counts: Counter[_Key] = Counter()
    statement = select(VALUE_COUNT).where(VALUE_COUNT.c.field == field)
    for row in connection.execute(statement):
        if row.value:
            counts[field, row.value, row.target] = row.kernels
        else:
            state = row.kernels

    return state, counts


def _list_counts(counts: Counter[_Key], target: str) -> list[ValueCount]:
    listed = [
        ValueCount(value=value, target=own_target, kernels=kernels)
        for (_, value, own_target), kernels in counts.items()
        if target in ("", own_target)
    ]
    return sort_value_counts(listed)


def _record_changes(connection: Connection, field: str) -> None:
    """Let writers record from now on what they change of a field."""
    statement = upsert(VALUE_COUNT).on_conflict_do_nothing()
    connection.execute(statement, _to_row((field, "", ""), _BEING_COUNTED))


def _keep_counts(
    connection: Connection, field: str, counted: Counter[_Key], recorded: Counter[_Key]
) -> None:
    """Add what was counted to what writers recorded since; `recorded` they had already then."""
    # another process may have counted, too, or all was forgotten meanwhile
    state, _ = _read_rows(connection, field)
    if state != _BEING_COUNTED:
        return

    changes = counted.copy()
    changes.subtract(recorded)
    _add_counts(connection, changes)
    is_own = VALUE_COUNT.c.field == field
    statement = update(VALUE_COUNT).where(is_own, _IS_STATE)
    connection.execute(statement.values(kernels=_KEPT))


def _may_write(connection: Connection) -> bool:
    """Return whether counts can be kept: a role of a server may be one that only reads."""
    if is_embedded(connection.engine):
        return True

    may_insert = func.has_table_privilege(VALUE_COUNT.name, "INSERT")
    return bool(connection.scalar(select(may_insert)))


def _list_kept_fields(connection: Connection) -> set[str]:
    return set(connection.scalars(select(VALUE_COUNT.c.field).where(_IS_STATE)))


def _count_kernels(
    connection: Connection,
    fields: Collection[str],
    kernels: Sequence[ColumnElement[bool]],
) -> Counter[_Key]:
    counts: Counter[_Key] = Counter()
    for field in fields:
        for is_touched in kernels:
            statement = select_value_counts(FIELDS[field], "", is_touched)
            for value, target, count in connection.execute(statement):
                counts[field, value, target] += count

    return counts


def _add_counts(connection: Connection, changes: Counter[_Key]) -> None:
    rows = [_to_row(key, change) for key, change in changes.items() if change]
    if not rows:
        return

    statement = upsert(VALUE_COUNT)
    total = VALUE_COUNT.c.kernels + statement.excluded.kernels
    key = list(VALUE_COUNT.primary_key.columns)
    adding = statement.on_conflict_do_update(
        index_elements=key, set_={"kernels": total}
    )
    connection.execute(adding, rows)
    is_empty = VALUE_COUNT.c.kernels == 0
    connection.execute(delete(VALUE_COUNT).where(is_empty, ~_IS_STATE))


def _to_row(key: _Key, kernels: int) -> dict[str, str | int]:
    field, value, target = key
    return {"field": field, "value": value, "target": target, "kernels": kernels}
