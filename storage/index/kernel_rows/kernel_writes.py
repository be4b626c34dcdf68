"""Write the rows of a commit's kernels, with those of all that is asked of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import Connection, delete, select

from crawler.model import Kernel, Layer, Repo
from storage.database.bulk_insert import insert_all
from storage.database.chunks import iter_chunks
from storage.index.kernel_rows import revisions, rows, verdicts
from storage.tables import (
    INSTANTIATION,
    KERNEL,
    KERNEL_OPERATOR,
    KERNEL_TAG,
    KERNEL_TEXT,
    LAUNCH,
)

_KERNEL_DETAILS: Final = (
    (KERNEL_TAG, rows.tag_rows),
    (KERNEL_OPERATOR, rows.operator_rows),
    (INSTANTIATION, rows.instantiation_rows),
    (LAUNCH, rows.launch_rows),
    (KERNEL_TEXT, rows.text_rows),
)
_Described = tuple[Kernel, str, str]
"""A kernel, the digest of its JSON and that of its own text."""
KernelWriter = Callable[
    [Connection, Repo, Sequence[Kernel], Sequence[str], Sequence[str]], None
]


def write_kernels(
    connection: Connection,
    repo: Repo,
    kernels: Sequence[Kernel],
    encoded: Sequence[str],
    texts: Sequence[str],
) -> None:
    """Replace the kernels of a commit.

    `encoded` are the digests of their JSON, `texts` those of their own texts.
    """
    revision = revisions.ensure_revision(connection, repo)
    # before the older kernels go, so that their ids are not used again
    first = verdicts.next_id(connection, KERNEL)
    is_of_commit = KERNEL.c.revision == revision
    connection.execute(delete(KERNEL).where(is_of_commit))
    described = list(zip(kernels, encoded, texts, strict=True))
    _insert_kernels(connection, repo, revision, first, described)


def write_first_units(
    connection: Connection,
    repo: Repo,
    kernels: Sequence[Kernel],
    encoded: Sequence[str],
    texts: Sequence[str],
) -> None:
    """Replace those kernels of a commit that syntax alone has shown and that `kernels` have, too.

    `encoded` are the digests of their JSON, `texts` those of their own texts.
    """
    revision = revisions.ensure_revision(connection, repo)
    first = verdicts.next_id(connection, KERNEL)
    waiting = _select_waiting(connection, revision, {k.span.path for k in kernels})
    described: list[_Described] = []
    replaced: set[int] = set()
    for kernel, digest, text in zip(kernels, encoded, texts, strict=True):
        span = kernel.span
        numbers = {
            row.id
            for row in waiting[(span.path, kernel.name)]
            if row.line <= span.end_line and span.line <= row.end_line
        }
        # the first of two that overlap counts
        if numbers - replaced:
            described.append((kernel, digest, text))
            replaced |= numbers

    for chunk in iter_chunks(replaced):
        connection.execute(delete(KERNEL).where(KERNEL.c.id.in_(chunk)))

    _insert_kernels(connection, repo, revision, first, described)


def _select_waiting(
    connection: Connection, revision: int, paths: Iterable[str]
) -> dict[tuple[str, str], list[Any]]:
    """Return the rows of kernels in these files that syntax alone has shown, by path and name."""
    columns = KERNEL.c
    waiting: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for chunk in iter_chunks(paths):
        statement = select(
            columns.id, columns.path, columns.name, columns.line, columns.end_line
        )
        statement = statement.where(
            columns.revision == revision,
            columns.path.in_(chunk),
            columns.unit == "",
            columns.found_by == Layer.SYNTACTIC.value,
        )
        for row in connection.execute(statement):
            waiting[(row.path, row.name)].append(row)

    return waiting


def _insert_kernels(
    connection: Connection,
    repo: Repo,
    revision: int,
    first: int,
    described: Sequence[_Described],
) -> None:
    """Insert kernels of a commit whose rows are numbered from `first`."""
    numbered = [
        (number, kernel) for number, (kernel, _, _) in enumerate(described, first)
    ]
    kernel_rows: list[rows.Row] = []

    for number, (kernel, digest, text) in enumerate(described, first):
        row = rows.kernel_row(number, revision, repo, kernel, digest, text)
        kernel_rows.append(row)

    insert_all(connection, KERNEL, kernel_rows)

    for table, make_rows in _KERNEL_DETAILS:
        detail_rows: list[rows.Row] = []
        for number, kernel in numbered:
            detail_rows.extend(make_rows(number, kernel))

        insert_all(connection, table, detail_rows)
