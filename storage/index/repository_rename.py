"""Rename a repository in every row that holds its old name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, delete, select, update

from crawler.codec import decode, encode
from crawler.model import Repo
from storage.index.derived_values import repo_label
from storage.index.kernel_page import REVISION, REVISION_TASK
from storage.index.sql_filters import KERNEL


def rename_repository(connection: Connection, old: Repo, new: Repo) -> None:
    """Give every commit of `old` the owner, name and address of `new`; one that is known under
    both stays as it is.
    """
    known = {row.pinned for row in _commits(connection, new)}
    for row in _commits(connection, old):
        if row.pinned in known:
            _forget(connection, row.id)
        else:
            _rename(connection, row, new)


def _commits(connection: Connection, repo: Repo) -> Any:
    columns = REVISION.c
    named = (
        columns.source == repo.source,
        columns.owner == repo.owner,
        columns.name == repo.name,
    )
    return connection.execute(
        select(columns.id, columns.pinned, columns.encoded).where(*named)
    ).all()


def _rename(connection: Connection, row: Any, new: Repo) -> None:
    renamed = replace(
        decode(row.encoded, Repo), owner=new.owner, name=new.name, url=new.url
    )
    label = repo_label(renamed)
    told = {
        "repo": label,
        "owner": new.owner,
        "name": new.name,
        "url": new.url,
        "encoded": encode(renamed).decode(),
    }
    connection.execute(update(REVISION).where(REVISION.c.id == row.id).values(**told))
    connection.execute(
        update(KERNEL).where(KERNEL.c.revision == row.id).values(repo=label)
    )


def _forget(connection: Connection, revision: int) -> None:
    connection.execute(delete(KERNEL).where(KERNEL.c.revision == revision))
    connection.execute(
        delete(REVISION_TASK).where(REVISION_TASK.c.revision == revision)
    )
    connection.execute(delete(REVISION).where(REVISION.c.id == revision))
