"""What models were asked about kernels that a purge removes: it quotes them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, delete, or_, select

from storage.database.chunks import iter_chunks
from storage.tables import COMPLETION_ATTEMPT, MODEL_ANSWER


def forget_completions(
    connection: Connection, kernels: Collection[str], units: Collection[str]
) -> list[Row[Any]]:
    """Remove what was asked about kernels, by the ids of their tasks, and about units; returns
    the removed rows.
    """
    removed: list[Row[Any]] = []
    asked_units = set(units)
    for chunk in iter_chunks(set(kernels)):
        is_of_kernel = COMPLETION_ATTEMPT.c.kernel.in_(chunk)
        statement = select(COMPLETION_ATTEMPT.c.unit).where(is_of_kernel)
        # another kernel may have the same unit: what was answered about it is asked again
        asked_units.update(connection.scalars(statement))

    for chunk in iter_chunks(asked_units):
        answers = MODEL_ANSWER.c.unit.in_(chunk)
        removed += connection.execute(select(MODEL_ANSWER).where(answers)).all()
        connection.execute(delete(MODEL_ANSWER).where(answers))

    columns = COMPLETION_ATTEMPT.c
    for chunk in iter_chunks({*kernels, *units}):
        attempts = or_(columns.kernel.in_(chunk), columns.unit.in_(chunk))
        removed += connection.execute(select(COMPLETION_ATTEMPT).where(attempts)).all()
        connection.execute(delete(COMPLETION_ATTEMPT).where(attempts))

    return removed
