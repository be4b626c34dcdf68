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
from storage.index.counts.kept_counts import forget_counts
from storage.index.kernel_rows import rows
from storage.index.query.column_conditions import without_index
from storage.tables import CRAWL_TASK, KERNEL, REVISION, REVISION_TASK


def is_of_repository(repo: Repo) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for a commit of the same repository."""
    columns = REVISION.c
    is_of_source = columns.source == repo.source
    is_of_owner = columns.owner == repo.owner
    is_of_name = columns.name == repo.name

    return is_of_source, is_of_owner, is_of_name


def select_revision(repo: Repo) -> Select[Any]:
    """Return the query for the id of the commit that `repo` is pinned to."""
    is_same_commit = REVISION.c.pinned == repo.commit
    return select(REVISION.c.id).where(*is_of_repository(repo), is_same_commit)


def select_revisions_of_crawl(crawl: str) -> Select[Any]:
    """Return the query for the ids of the commits that tasks of a crawl found."""
    is_same_task = CRAWL_TASK.c.task == REVISION_TASK.c.task
    tasks = REVISION_TASK.join(CRAWL_TASK, is_same_task)
    is_of_crawl = CRAWL_TASK.c.crawl == crawl
    revisions = select(REVISION_TASK.c.revision).select_from(tasks)

    return revisions.where(is_of_crawl)


def is_of_crawl(crawl: str) -> ColumnElement[bool]:
    """Return the condition that a kernel is one of a crawl."""
    return without_index(KERNEL.c.revision).in_(select_revisions_of_crawl(crawl))


def ensure_revision(connection: Connection, repo: Repo) -> int:
    """Return the id of a commit, which is inserted if it is new."""
    # inserted first and read after: two writers at once both find the same row
    row = rows.revision_row(repo)
    inserted = upsert(REVISION).values(row)
    connection.execute(inserted.on_conflict_do_nothing())

    statement = select_revision(repo)
    revision = connection.execute(statement).scalar_one()
    return int(revision)


def write_revision(
    connection: Connection, repo: Repo, snapshot: str, database: str
) -> int:
    """Write the row of a commit and return its id; an empty digest changes nothing."""
    values = rows.revision_row(repo)
    # what an earlier visit stored stays where this one stored nothing
    if snapshot:
        values["snapshot"] = snapshot
    else:
        del values["snapshot"]

    if database:
        values["database"] = database
    else:
        del values["database"]

    revision = ensure_revision(connection, repo)
    is_same = REVISION.c.id == revision
    statement = update(REVISION).where(is_same)
    connection.execute(statement.values(**values))

    return revision


def list_encoded(connection: Connection) -> Sequence[bytes]:
    """Return every recorded commit, encoded, by source, owner, name and commit."""
    columns = REVISION.c
    statement = select(columns.encoded)
    statement = statement.order_by(
        columns.source, columns.owner, columns.name, columns.pinned
    )
    return connection.scalars(statement).all()


def supersede(connection: Connection, repo: Repo) -> None:
    """Mark the kernels of every other commit of the same repository and ref.

    Where `repo` has no commit, those of all commits are marked.
    """
    superseded = select(REVISION.c.id).where(*is_of_repository(repo))
    if repo.commit:
        is_other_commit = REVISION.c.pinned != repo.commit
        is_same_ref = REVISION.c.ref == repo.ref
        superseded = superseded.where(is_other_commit, is_same_ref)

    # only rows that change are written: most are superseded already
    is_current = KERNEL.c.superseded.is_(False)
    is_of_superseded = KERNEL.c.revision.in_(superseded)
    kernels = update(KERNEL).where(is_of_superseded, is_current)
    connection.execute(kernels.values(superseded=True))


def has_kernels(connection: Connection, repo: Repo) -> bool:
    """Tell whether a kernel of any commit of the repository is recorded."""
    of_repository = select(REVISION.c.id).where(*is_of_repository(repo))
    has_revision = KERNEL.c.revision.in_(of_repository)
    statement = select(KERNEL.c.id).where(has_revision).limit(1)
    return connection.execute(statement).first() is not None


def reinstate(connection: Connection, repo: Repo) -> None:
    """Make a superseded commit the newest of its ref again; otherwise change nothing."""
    is_of_commit = KERNEL.c.revision.in_(select_revision(repo))
    is_superseded = KERNEL.c.superseded.is_(True)
    kernels = update(KERNEL).where(is_of_commit, is_superseded)
    reinstated = connection.execute(kernels.values(superseded=False))

    if reinstated.rowcount:
        supersede(connection, repo)


def rename_repository(connection: Connection, old: Repo, new: Repo) -> None:
    """Give every commit of `old` the owner, name and address of `new`.

    A commit that is known under both names stays as `new` has it.
    """
    commits_of_new: set[str] = set()
    # where only the address is new, no commit is known twice
    if (old.source, old.owner, old.name) != (new.source, new.owner, new.name):
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
    repo = decode(row.encoded, Repo)
    renamed = replace(
        repo,
        owner=new.owner,
        name=new.name,
        url=new.url,
    )
    label = renamed.label
    encoded = encode(renamed).decode()

    is_revision = REVISION.c.id == row.id
    revision = update(REVISION).where(is_revision)
    revision = revision.values(
        repo=label,
        owner=new.owner,
        name=new.name,
        url=new.url,
        encoded=encoded,
    )
    connection.execute(revision)

    # kernels have a copy of the label, for paging
    is_of_revision = KERNEL.c.revision == row.id
    kernels = update(KERNEL).where(is_of_revision)
    connection.execute(kernels.values(repo=label))


def _delete_revision(connection: Connection, revision: int) -> None:
    is_of_kernel = KERNEL.c.revision == revision
    is_of_task = REVISION_TASK.c.revision == revision
    is_revision = REVISION.c.id == revision

    # rare, and much at once: counting anew is as quick
    forget_counts(connection)
    # what refers to it goes first
    connection.execute(delete(KERNEL).where(is_of_kernel))
    connection.execute(delete(REVISION_TASK).where(is_of_task))
    connection.execute(delete(REVISION).where(is_revision))
