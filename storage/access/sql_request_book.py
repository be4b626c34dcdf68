"""Who asked for what, and when, in SQL: rows are added, and never changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Engine, insert, select

from storage.database.engine import read_transaction, write_transaction
from storage.tables import REQUEST

_MAX_SUBJECT_CHARACTERS: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRequest:
    """Something that somebody asked for."""

    asked_at: float
    """Seconds since 1970."""
    asked_by: str
    verb: str
    """As on the command line, such as `storage gc`; `web retry` for what the page was told."""
    subject: str
    """What it was asked of: locators, a name, a code."""
    crawl: str
    """The crawl that it concerns, if any."""


class SqlRequestBook:
    """The requests, in an SQL database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def record(
        self, verb: str, asked_by: str, *, subject: str = "", crawl: str = ""
    ) -> None:
        """Record that somebody asks for something now."""
        row = {
            "asked_at": self._clock(),
            "asked_by": asked_by,
            "verb": verb,
            "subject": subject[:_MAX_SUBJECT_CHARACTERS],
            "crawl": crawl,
        }
        with write_transaction(self._engine) as connection:
            connection.execute(insert(REQUEST).values(row))

    def requests(
        self, *, crawl: str = "", asked_by: str = "", verb: str = "", limit: int = 0
    ) -> tuple[AskedRequest, ...]:
        """Return what was asked for, the last first: at most `limit`, or all with 0.

        A crawl, a name and a verb narrow it.
        """
        statement = select(REQUEST).order_by(REQUEST.c.id.desc())
        wanted = {"crawl": crawl, "asked_by": asked_by, "verb": verb}
        for column, value in wanted.items():
            if value:
                statement = statement.where(REQUEST.c[column] == value)
        if limit:
            statement = statement.limit(limit)

        with read_transaction(self._engine) as connection:
            return tuple(map(_make_request, connection.execute(statement)))


def _make_request(row: Any) -> AskedRequest:
    return AskedRequest(
        asked_at=row.asked_at,
        asked_by=row.asked_by,
        verb=row.verb,
        subject=row.subject,
        crawl=row.crawl,
    )
