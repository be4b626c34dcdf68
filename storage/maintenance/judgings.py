"""What was judged of candidates for kernels that a purge removes: it may quote them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, select

from crawler.dataset.prompts.prompt_row import name_task
from crawler.model import Repo
from storage.ledger.interface import Stage
from storage.tables import MEMORY, TASK

_KEY_START: Final = "judged "
"""Of what is remembered of a judged source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTasks:
    """What was judged for some kernels."""

    tasks: frozenset[int]
    """Ids, in the ledger."""
    digests: frozenset[str]
    """Of what candidates were judged by."""


def name_tasks(
    kernels: Iterable[Row[Any]], repos: Mapping[int, Repo]
) -> frozenset[str]:
    """Return the ids of the tasks of `kernels`, whose commits are `repos` by the ids of
    revisions.
    """
    return frozenset(
        name_task(repos[row.revision], row.path, row.offset, row.name)
        for row in kernels
    )


def find_judged_tasks(connection: Connection, names: Collection[str]) -> JudgedTasks:
    """Return what was judged for the tasks with these ids."""
    statement = select(TASK.c.id, TASK.c.payload)
    tasks: set[int] = set()
    digests: set[str] = set()
    for task, encoded in connection.execute(
        statement.where(TASK.c.stage == Stage.JUDGE.value)
    ):
        payload = json.loads(encoded)
        if payload.get("task_id") in names:
            tasks.add(task)
            digests.add(payload["task"])

    return JudgedTasks(tasks=frozenset(tasks), digests=frozenset(digests))


def forget_judged_sources(
    connection: Connection, digests: frozenset[str]
) -> list[Row[Any]]:
    """Forget sources that were judged by what has one of `digests`; returns the removed rows."""
    is_judged = MEMORY.c.key.startswith(_KEY_START, autoescape=True)
    removed: list[Row[Any]] = []
    for row in connection.execute(select(MEMORY).where(is_judged)).all():
        if not digests.isdisjoint(row.key.split()):
            connection.execute(delete(MEMORY).where(MEMORY.c.key == row.key))
            removed.append(row)

    return removed
