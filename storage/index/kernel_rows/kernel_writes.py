"""Write the rows of a commit's kernels, with those of all that is asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, delete

from crawler.model import Kernel, Repo
from storage.database.bulk_insert import insert_all
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

    numbered = list(enumerate(kernels, first))
    kernel_rows: list[rows.Row] = []

    for (number, kernel), digest, text in zip(numbered, encoded, texts, strict=True):
        row = rows.kernel_row(number, revision, repo, kernel, digest, text)
        kernel_rows.append(row)

    insert_all(connection, KERNEL, kernel_rows)

    for table, make_rows in _KERNEL_DETAILS:
        detail_rows: list[rows.Row] = []
        for number, kernel in numbered:
            detail_rows.extend(make_rows(number, kernel))

        insert_all(connection, table, detail_rows)
