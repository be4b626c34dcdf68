"""Rows of commits: find or insert one, supersede older ones, and rename a repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    delete,
    select,
    update,
)

from crawler.codec import decode, encode
from crawler.model import Repo
from storage.database.base import upsert
from storage.index import rows
from storage.index.derived_values import repo_label
from storage.tables import CRAWL_TASK, KERNEL, REVISION, REVISION_TASK


def is_of_repository(repo: Repo) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for a commit of the same repository."""
    columns = REVISION.c
    return (
        columns.source == repo.source,
        columns.owner == repo.owner,
        columns.name == repo.name,
    )


def select_revision(repo: Repo) -> Select[Any]:
    """Return the query for the id of the commit that `repo` is pinned to."""
    is_same_commit = REVISION.c.pinned == repo.commit
    return select(REVISION.c.id).where(*is_of_repository(repo), is_same_commit)


def select_revisions_of_crawl(crawl: str) -> Select[Any]:
    """Return the query for the ids of the commits that tasks of a crawl found."""
    tasks = REVISION_TASK.join(CRAWL_TASK, CRAWL_TASK.c.task == REVISION_TASK.c.task)
    return (
        select(REVISION_TASK.c.revision)
        .select_from(tasks)
        .where(CRAWL_TASK.c.crawl == crawl)
    )


def ensure_revision(connection: Connection, repo: Repo) -> int:
    """Return the id of a commit, which is inserted if it is new."""
    # inserted first and read after: two writers at once both find the same row
    inserted = upsert(REVISION).values(rows.revision_row(repo))
    connection.execute(inserted.on_conflict_do_nothing())
    return int(connection.execute(select_revision(repo)).scalar_one())


def write_revision(
    connection: Connection, repo: Repo, snapshot: str, database: str
) -> int:
    """Write the row of a commit and return its id; an empty digest changes nothing."""
    # what an earlier visit stored stays where this one stored nothing
    values = rows.revision_row(repo)
    del values["snapshot"], values["database"]
    if snapshot:
        values["snapshot"] = snapshot
    if database:
        values["database"] = database

    revision = ensure_revision(connection, repo)
    written = update(REVISION).where(REVISION.c.id == revision)
    connection.execute(written.values(**values))

    return revision


def supersede(connection: Connection, repo: Repo) -> None:
    """Mark the kernels of every other commit of the same repository and ref.

    Where `repo` has no commit, those of all commits are marked.
    """
    superseded = select(REVISION.c.id).where(*is_of_repository(repo))
    if repo.commit:
        superseded = superseded.where(
            REVISION.c.pinned != repo.commit, REVISION.c.ref == repo.ref
        )

    # only rows that change are written: most are superseded already
    kernels = update(KERNEL).where(
        KERNEL.c.revision.in_(superseded), KERNEL.c.superseded.is_(False)
    )
    connection.execute(kernels.values(superseded=True))


def reinstate(connection: Connection, repo: Repo) -> None:
    """Make a superseded commit the newest of its ref again; otherwise change nothing."""
    kernels = update(KERNEL).where(
        KERNEL.c.revision.in_(select_revision(repo)), KERNEL.c.superseded.is_(True)
    )
    if connection.execute(kernels.values(superseded=False)).rowcount:
        supersede(connection, repo)


def rename_repository(connection: Connection, old: Repo, new: Repo) -> None:
    """Give every commit of `old` the owner, name and address of `new`.

    A commit that is known under both names stays as `new` has it.
    """
    commits_of_new = {row.pinned for row in _read_commits(connection, new)}
    for row in _read_commits(connection, old):
        if row.pinned in commits_of_new:
            _delete_revision(connection, row.id)
        else:
            _rename_revision(connection, row, new)


def _read_commits(connection: Connection, repo: Repo) -> Sequence[Any]:
    columns = REVISION.c
    statement = select(columns.id, columns.pinned, columns.encoded)
    return connection.execute(statement.where(*is_of_repository(repo))).all()


def _rename_revision(connection: Connection, row: Any, new: Repo) -> None:
    renamed = replace(
        decode(row.encoded, Repo),
        owner=new.owner,
        name=new.name,
        url=new.url,
    )
    label = repo_label(renamed)
    revision = update(REVISION).where(REVISION.c.id == row.id)
    connection.execute(
        revision.values(
            repo=label,
            owner=new.owner,
            name=new.name,
            url=new.url,
            encoded=encode(renamed).decode(),
        )
    )
    # kernels have a copy of the label, for paging
    kernels = update(KERNEL).where(KERNEL.c.revision == row.id)
    connection.execute(kernels.values(repo=label))


def _delete_revision(connection: Connection, revision: int) -> None:
    tasks = REVISION_TASK.c.revision == revision
    connection.execute(delete(KERNEL).where(KERNEL.c.revision == revision))
    connection.execute(delete(REVISION_TASK).where(tasks))
    connection.execute(delete(REVISION).where(REVISION.c.id == revision))
