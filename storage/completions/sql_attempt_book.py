"""Answers and attempts of models: what is asked of them in tables, their texts in blobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from sqlalchemy import ColumnElement, Engine, Row, insert, select

from crawler.codec import decode, encode
from crawler.completion.chat import ChatAnswer, ChatRequest, KeptAnswer
from crawler.model import AttemptVerdict, CompletionAttempt
from storage.database.bulk_insert import upsert_all
from storage.database.engine import read_transaction, write_transaction
from storage.interfaces import BlobStore
from storage.tables import COMPLETION_ATTEMPT, MODEL_ANSWER

_PLAIN: Final = (
    "series",
    "kernel",
    "unit",
    "purpose",
    "number",
    "model",
    "parameters",
    "tokens_in",
    "tokens_out",
    "cost",
    "code",
    "problem",
    "seconds",
    "attempted_at",
)
"""Fields of an attempt that stand in its row as they are."""
_TEXTS: Final = ("prompt", "reflection", "answer", "source", "messages")
"""Those whose contents are blobs."""
_STATUSES: Final = ("pass_call", "pass_exe", "pass_perf")
"""Those that are JSON objects."""
_ENCODING: Final = ("utf-8", "surrogatepass")
_ATTEMPTS_PER_PAGE: Final = 100


class SqlAttemptBook:
    """The `AttemptBook` in an SQL database and a blob store."""

    def __init__(
        self, engine: Engine, blobs: BlobStore, clock: Callable[[], float] = time.time
    ) -> None:
        self._engine = engine
        self._blobs = blobs
        self._clock = clock

    def find_answer(self, request: ChatRequest) -> KeptAnswer | None:
        """Return what was answered to a question; `None` where it was never answered."""
        columns = MODEL_ANSWER.c
        statement = select(columns.content, columns.cost)
        statement = statement.where(columns.request == request.digest)
        with read_transaction(self._engine) as connection:
            row = connection.execute(statement).first()
        if row is None:
            return None

        answer = decode(self._blobs.get(row.content), ChatAnswer)
        return KeptAnswer(answer=answer, cost=row.cost)

    def add_answer(
        self, request: ChatRequest, kept_answer: KeptAnswer, *, unit: str
    ) -> None:
        """Keep the answer to a question about a unit; it is safe when this returns."""
        answer = kept_answer.answer
        row = {
            "request": request.digest,
            "unit": unit,
            "model": request.model,
            "content": self._blobs.put(encode(answer)),
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
            "cost": kept_answer.cost,
            "answered_at": self._clock(),
        }
        with write_transaction(self._engine) as connection:
            upsert_all(connection, MODEL_ANSWER, [row], ["request"])

    def list_attempts(self, series: str) -> list[CompletionAttempt]:
        """Return the attempts of a series, in the order in which they were made."""
        return list(self._iter_rows(COMPLETION_ATTEMPT.c.series == series))

    def iter_attempts(self, kernel: str) -> Iterator[CompletionAttempt]:
        """Yield the attempts at a kernel, by the id of its task, in the order in which they were
        made.
        """
        return self._iter_rows(COMPLETION_ATTEMPT.c.kernel == kernel)

    def add_attempt(self, attempt: CompletionAttempt) -> None:
        """Keep an attempt; it is safe when this returns."""
        row: dict[str, Any] = {name: getattr(attempt, name) for name in _PLAIN}
        row["verdict"] = attempt.verdict.value
        for name in _STATUSES:
            row[name] = encode(getattr(attempt, name)).decode()
        for name in _TEXTS:
            text = getattr(attempt, name)
            row[name] = self._blobs.put(text.encode(*_ENCODING)) if text else ""

        with write_transaction(self._engine) as connection:
            connection.execute(insert(COMPLETION_ATTEMPT).values(row))

    def _iter_rows(self, condition: ColumnElement[bool]) -> Iterator[CompletionAttempt]:
        after = 0
        while True:
            columns = COMPLETION_ATTEMPT.c
            statement = (
                select(COMPLETION_ATTEMPT)
                .where(condition, columns.id > after)
                .order_by(columns.id)
                .limit(_ATTEMPTS_PER_PAGE)
            )
            with read_transaction(self._engine) as connection:
                rows = connection.execute(statement).all()

            for row in rows:
                yield self._read_row(row)
            if len(rows) < _ATTEMPTS_PER_PAGE:
                return

            after = rows[-1].id

    def _read_row(self, row: Row[Any]) -> CompletionAttempt:
        values: dict[str, Any] = {name: getattr(row, name) for name in _PLAIN}
        for name in _STATUSES:
            values[name] = decode(getattr(row, name), dict[str, str])
        for name in _TEXTS:
            digest = getattr(row, name)
            values[name] = self._blobs.get(digest).decode(*_ENCODING) if digest else ""
        return CompletionAttempt(**values, verdict=AttemptVerdict(row.verdict))
