"""Words of kernels that were put before there was a full-text index."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Engine, func, select

from crawler.codec import decode
from crawler.model import Kernel
from storage.database.base import upsert
from storage.database.engine import AdvisoryLock, read_transaction, write_transaction
from storage.index.kernel_rows import rows
from storage.index.query.conditions import Condition, iter_terms
from storage.index.query.terms import FieldKind
from storage.interfaces import BlobStore
from storage.tables import KERNEL, KERNEL_TEXT

_KERNELS_PER_PAGE: Final = 500


def asks_for_text(condition: Condition) -> bool:
    """Return whether a condition needs the words of kernels."""
    return any(term.field.kind is FieldKind.WORDS for term in iter_terms(condition))


def write_missing_texts(engine: Engine, blobs: BlobStore) -> None:
    """Write the words of the kernels that have none yet.

    Every kernel from the first one with words on has them, since those are written downwards:
    so two look-ups tell that none is missing.
    """
    while True:
        with read_transaction(engine) as connection:
            page = _read_page_without_words(connection)
        if not page:
            return

        contents = blobs.get_many([row.encoded for row in page])
        text_rows: list[rows.Row] = []
        for row, content in zip(page, contents, strict=True):
            text_rows += rows.text_rows(row.id, decode(content, Kernel))

        with write_transaction(engine, AdvisoryLock.INDEX) as connection:
            _write_texts(connection, text_rows)


def _read_page_without_words(connection: Connection) -> list[Any]:
    first = connection.scalar(select(func.min(KERNEL_TEXT.c.kernel)))
    statement = select(KERNEL.c.id, KERNEL.c.encoded).order_by(KERNEL.c.id.desc())
    if first is not None:
        statement = statement.where(KERNEL.c.id < first)
    return list(connection.execute(statement.limit(_KERNELS_PER_PAGE)))


def _write_texts(connection: Connection, text_rows: list[rows.Row]) -> None:
    # a kernel may have gone meanwhile, or another process may have written it
    ids = [row["kernel"] for row in text_rows]
    statement = select(KERNEL.c.id).where(KERNEL.c.id.in_(ids))
    present_ids = set(connection.scalars(statement))
    present_rows = [row for row in text_rows if row["kernel"] in present_ids]
    if present_rows:
        insertion = upsert(KERNEL_TEXT).on_conflict_do_nothing()
        connection.execute(insertion, present_rows)
