"""Keyset paging over the kernel table, each page in a short transaction of its own.

Nobody waits for a slow reader, and kernels that are put or removed meanwhile are seen or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, select, tuple_

from storage.database.chunks import iter_slices
from storage.database.engine import is_embedded, read_transaction
from storage.index.key_lists import is_among
from storage.index.pages.kernel_page import KernelPage, KernelRows
from storage.interfaces import Place
from storage.tables import KERNEL

PageType = TypeVar("PageType", bound=KernelPage)
_WINDOW_GROWTH: Final = 4
_MAX_WALKED: Final = 500
"""Kernels that are looked for one by one, rather than among all that have a verdict."""
_MAX_WINDOW: Final = 50_000
"""Places that are held at once."""
_PLACE: Final = (
    KERNEL.c.repo,
    KERNEL.c.pinned,
    KERNEL.c.path,
    KERNEL.c.offset,
    KERNEL.c.id,
)

_KERNELS: Final = select(KERNEL).where(is_among(KERNEL.c.id, "ids")).order_by(*_PLACE)


def is_behind(place: Place) -> ColumnElement[bool]:
    """Return the condition for the kernels that come after a place in the order of pages."""
    # without the id: it changes whenever a commit is put again, and pages are asked for later
    columns = _PLACE[:-1]
    return tuple_(*columns) > tuple(place)


def select_first_ids(
    conditions: Sequence[ColumnElement[bool]], limit: int
) -> Select[tuple[int]]:
    """Return the query for the ids of the first kernels that meet `conditions`; 0 means all."""
    ids = select(KERNEL.c.id).where(*conditions)
    return ids.order_by(*_PLACE).limit(limit) if limit else ids


def list_first_kernels(
    connection: Connection, conditions: Sequence[ColumnElement[bool]], limit: int
) -> Sequence[Row[Any]]:
    """Return the rows of the first kernels that meet `conditions`, in the order of places."""
    walk_in_order(connection)
    ids = select_first_ids(conditions, limit)
    return connection.execute(_KERNELS, {"ids": list(connection.scalars(ids))}).all()


def walk_in_order(connection: Connection) -> None:
    """Let Postgres look up the verdicts of one kernel after the other until a page is full.

    It takes no account of how few are asked for, and would hash all verdicts of a value before:
    for seconds, where a twentieth of one does. Memory for no hash is what it understands.
    """
    if not is_embedded(connection.engine):
        connection.exec_driver_sql("SET LOCAL work_mem = '64kB'")


def iter_pages(
    engine: Engine,
    conditions: Sequence[ColumnElement[bool]],
    size: int,
    make_page: Callable[[Connection, KernelRows], PageType],
) -> Iterator[PageType]:
    """Yield the kernels that meet `conditions` in pages of `size`, ordered by their places."""
    for places in _iter_windows(engine, conditions, size):
        for chunk in iter_slices(places, size):
            yield _read_page(engine, chunk, make_page)


def _read_page(
    engine: Engine,
    places: Sequence[Any],
    make_page: Callable[[Connection, KernelRows], PageType],
) -> PageType:
    # by ids alone: with more conditions the planner may scan another index for each page
    ids = [place.id for place in places]
    expected = {tuple(place) for place in places}

    with read_transaction(engine) as connection:
        unchanged: list[Row[Any]] = []
        # a kernel that was put in the meantime may have the id of one that is gone
        for row in connection.execute(_KERNELS, {"ids": ids}):
            if _place_of(row) in expected:
                unchanged.append(row)

        return make_page(connection, unchanged)


def _iter_windows(
    engine: Engine, conditions: Sequence[ColumnElement[bool]], size: int
) -> Iterator[Sequence[Any]]:
    """Yield the places of kernels that meet `conditions`, in order, in growing windows.

    The database may sort all remaining kernels for each window: with windows of one size the
    time would grow with the square of their number.
    """
    ordered = select(*_PLACE).where(*conditions).order_by(*_PLACE)
    remaining = ordered

    while True:
        statement = remaining.limit(size)
        with read_transaction(engine) as connection:
            if size <= _MAX_WALKED:
                walk_in_order(connection)
            places = connection.execute(statement).all()

        yield places
        if len(places) < size:
            return

        last_place = tuple(places[-1])
        is_later = tuple_(*_PLACE) > last_place
        remaining = ordered.where(is_later)
        size = min(size * _WINDOW_GROWTH, _MAX_WINDOW)


def _place_of(row: Row[Any]) -> tuple[Any, ...]:
    return row.repo, row.pinned, row.path, row.offset, row.id
