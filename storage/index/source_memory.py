"""Listed repositories, tombstones and remembered answers of servers, in SQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Engine, func, select, update

from crawler.model import Repo
from storage.database.base import upsert
from storage.database.engine import read_transaction, write_transaction
from storage.interfaces import ListedRepository
from storage.tables import HostedRepository, MemoryEntry, table

_MEMORY: Final = table(MemoryEntry)
_REPOSITORY: Final = table(HostedRepository)


class ListingState(StrEnum):
    """What became of a repository in its owner's listing."""

    WANTED = "wanted"
    PASSED_OVER = "passed-over"
    VANISHED = "vanished"


class SqlSourceMemory:
    """Visits in an SQL database; see `Visits`."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def recall(self, key: str) -> bytes | None:
        """Return what was remembered last, `None` for nothing."""
        with read_transaction(self._engine) as connection:
            found = connection.execute(
                select(_MEMORY.c.value).where(_MEMORY.c.key == key)
            ).scalar()
        return None if found is None else bytes(found)

    def remember(self, key: str, value: bytes) -> None:
        """Remember `value` in place of what was there."""
        self.remember_all([(key, value)])

    def remember_all(self, pairs: Iterable[tuple[str, bytes]]) -> None:
        """Remember each (key, value), all in one transaction."""
        now = self._clock()
        rows = [
            {"key": key, "value": value, "remembered_at": now}
            for key, value in sorted(dict(pairs).items())
        ]
        if rows:
            statement = upsert(_MEMORY)
            told = {name: statement.excluded[name] for name in rows[0]}
            with write_transaction(self._engine) as connection:
                connection.execute(
                    statement.on_conflict_do_update(index_elements=["key"], set_=told),
                    rows,
                )

    def put_listing(
        self,
        source: str,
        owner: str,
        wanted: Iterable[Repo],
        passed_over: Iterable[tuple[Repo, str]],
    ) -> int:
        """Record all that an owner has, and return how many vanished since."""
        now = self._clock()
        rows = [*(_row(each, ListingState.WANTED, "", now) for each in wanted)]
        rows += (
            _row(each, ListingState.PASSED_OVER, reason, now)
            for each, reason in passed_over
        )
        # in one order, so that two writers never wait for each other
        rows.sort(key=lambda row: str(row["id"]))
        with write_transaction(self._engine) as connection:
            if rows:
                statement = upsert(_REPOSITORY)
                told = {name: statement.excluded[name] for name in rows[0]}
                connection.execute(
                    statement.on_conflict_do_update(
                        index_elements=["source", "id"], set_=told
                    ),
                    rows,
                )
            gone = (
                update(_REPOSITORY)
                .where(
                    _REPOSITORY.c.source == source,
                    _REPOSITORY.c.owner == owner,
                    _REPOSITORY.c.seen_at < now,
                )
                .where(_REPOSITORY.c.state != ListingState.VANISHED.value)
                .values(state=ListingState.VANISHED.value, reason="", vanished_at=now)
            )
            return int(connection.execute(gone).rowcount)

    def find_renamed(self, repos: Iterable[Repo]) -> tuple[tuple[Repo, Repo], ...]:
        """Return (as it was seen last, as it is now) of those that go by another owner or name
        than before.
        """
        now = {(each.source, each.id): each for each in repos if each.id}
        pairs = (
            (each.repo, now.get((each.repo.source, each.repo.id)))
            for each in self.listed_repositories()
        )
        return tuple(
            (old, new)
            for old, new in pairs
            if new and (old.owner, old.name) != (new.owner, new.name)
        )

    def listed_repositories(
        self, owner: str = "", state: str = ""
    ) -> tuple[ListedRepository, ...]:
        """Return what listings showed, by source, owner and name."""
        columns = _REPOSITORY.c
        wanted = select(_REPOSITORY).order_by(
            columns.source, columns.owner, columns.name
        )
        if owner:
            wanted = wanted.where(func.lower(columns.owner) == owner.lower())
        if state:
            wanted = wanted.where(columns.state == state)
        with read_transaction(self._engine) as connection:
            return tuple(_seen(row) for row in connection.execute(wanted).all())


def _seen(row: Any) -> ListedRepository:
    repo = Repo(
        source=row.source,
        owner=row.owner,
        name=row.name,
        url=row.url,
        ref="",
        commit="",
        id=row.id,
        kilobytes=row.kilobytes,
        pushed_at=row.pushed_at,
    )
    return ListedRepository(
        repo=repo,
        state=row.state,
        reason=row.reason,
        seen_at=row.seen_at,
        vanished_at=row.vanished_at,
    )


def _row(repo: Repo, state: ListingState, reason: str, now: float) -> dict[str, Any]:
    return {
        "source": repo.source,
        "id": repo.id,
        "owner": repo.owner,
        "name": repo.name,
        "url": repo.url,
        "kilobytes": repo.kilobytes,
        "pushed_at": repo.pushed_at,
        "state": state.value,
        "reason": reason,
        "seen_at": now,
        "vanished_at": 0.0,
    }
