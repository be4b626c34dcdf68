"""Texts of kernels in the index: their signatures, and the groups of their near copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Engine,
    bindparam,
    delete,
    false,
    func,
    or_,
    select,
    update,
)

from crawler.codec import decode
from crawler.model import Kernel
from crawler.similarity.near_clusters import group_near_copies
from crawler.similarity.repository_families import RepositoryCluster
from crawler.similarity.signature import SIGNATURE_VERSION, Signature, sign_definitions
from storage.database.base import upsert
from storage.database.bulk_insert import upsert_all
from storage.database.chunks import iter_chunks, iter_slices
from storage.database.engine import (
    AdvisoryLock,
    hold_advisory_lock,
    read_transaction,
    write_transaction,
)
from storage.index.kernel_rows.rows import Row
from storage.interfaces import BlobStore
from storage.tables import DEFINITION, KERNEL

NO_DEFINITION: Final = "-"
"""Stands for the digest of a kernel that has no text of its own."""
_KERNELS_PER_PAGE: Final = 500
_ROWS_PER_FETCH: Final = 5000
_ROWS_PER_UPDATE: Final = 5000


def sign_kernels(kernels: Sequence[Kernel]) -> list[Signature | None]:
    """Return the signature of each kernel's own text, `None` where it has none."""
    texts = [(kernel.name, kernel.source) for kernel in kernels if kernel.source]
    signatures = iter(sign_definitions(texts))
    return [next(signatures) if kernel.source else None for kernel in kernels]


def digest_of(signature: Signature | None) -> str:
    """Return what a kernel's row names its text by."""
    return signature.digest if signature else NO_DEFINITION


def write_definitions(
    connection: Connection, signatures: Iterable[Signature | None]
) -> None:
    """Write the rows of texts that are not there yet."""
    new_rows: dict[str, Row] = {}
    for signature in signatures:
        if signature:
            new_rows[signature.digest] = _definition_row(signature)

    if new_rows:
        statement = upsert(DEFINITION).on_conflict_do_nothing()
        connection.execute(statement, list(new_rows.values()))


def remove_orphaned_definitions(connection: Connection, digests: set[str]) -> None:
    """Remove those of the texts that no kernel has any more."""
    for chunk in iter_chunks(digests):
        is_used = select(KERNEL.c.definition).where(KERNEL.c.definition.in_(chunk))
        orphans = set(chunk).difference(connection.scalars(is_used))
        connection.execute(delete(DEFINITION).where(DEFINITION.c.digest.in_(orphans)))


def group_copies(engine: Engine, blobs: BlobStore) -> int:
    """Group the near copies of texts that are new, and return how many of these there are.

    The groups are those of all texts together, whatever came first.
    """
    # two at once would write groups of different states of the index
    with hold_advisory_lock(engine, AdvisoryLock.COPIES):
        _sign_unsigned(engine, blobs)
        has_removed = _remove_unused(engine)
        new_digests = _read_new_digests(engine)
        if not new_digests and not has_removed:
            return 0

        cluster_of, signatures = _read_signatures(engine)
        groups = group_near_copies(signatures)
        changed = {
            digest: cluster
            for digest, cluster in groups.items()
            if digest in new_digests or cluster_of[digest] != cluster
        }
        _write_groups(engine, changed)

    return len(new_digests)


def iter_repository_clusters(engine: Engine) -> Iterator[RepositoryCluster]:
    """Yield (repository, group of near copies, folders above the nearest copy) once each."""
    path = KERNEL.c.path
    depth = func.length(path) - func.length(func.replace(path, "/", ""))
    columns = KERNEL.c.repo, DEFINITION.c.near_cluster
    statement = select(*columns, func.min(depth)).group_by(*columns)
    statement = statement.join(DEFINITION, DEFINITION.c.digest == KERNEL.c.definition)

    with read_transaction(engine) as connection:
        options = {"yield_per": _ROWS_PER_FETCH}
        rows_found = connection.execute(statement, execution_options=options)
        for row in rows_found:
            yield RepositoryCluster(*row)


def _sign_unsigned(engine: Engine, blobs: BlobStore) -> None:
    """Sign the kernels that an older version has put."""
    after = 0
    while True:
        with read_transaction(engine) as connection:
            page = _read_unsigned(connection, after)

        if not page:
            return

        contents = blobs.get_many([row.encoded for row in page])
        kernels = [decode(content, Kernel) for content in contents]
        signatures = sign_kernels(kernels)
        definitions = [
            {"number": row.id, "digest": digest_of(signature)}
            for row, signature in zip(page, signatures, strict=True)
        ]
        signed_rows = {
            signature.digest: _definition_row(signature)
            for signature in signatures
            if signature
        }
        with write_transaction(engine, AdvisoryLock.INDEX) as connection:
            upsert_all(
                connection, DEFINITION, list(signed_rows.values()), key=["digest"]
            )
            statement = update(KERNEL).where(KERNEL.c.id == bindparam("number"))
            statement = statement.values(definition=bindparam("digest"))
            connection.execute(statement, definitions)

        after = page[-1].id


def _read_unsigned(connection: Connection, after: int) -> Sequence[Any]:
    outdated = select(DEFINITION.c.digest)
    outdated = outdated.where(DEFINITION.c.version != SIGNATURE_VERSION)
    is_unsigned = or_(
        KERNEL.c.definition == "",
        KERNEL.c.definition.in_(outdated),
    )
    statement = select(KERNEL.c.id, KERNEL.c.encoded)
    statement = statement.where(is_unsigned, KERNEL.c.id > after)
    statement = statement.order_by(KERNEL.c.id).limit(_KERNELS_PER_PAGE)
    return connection.execute(statement).all()


def _remove_unused(engine: Engine) -> bool:
    """Remove texts whose kernels others have replaced, and tell whether there were any: no group
    may be called after them.
    """
    is_used = select(KERNEL.c.id).where(KERNEL.c.definition == DEFINITION.c.digest)
    unused = ~is_used.exists()
    with read_transaction(engine) as connection:
        one_unused = select(DEFINITION.c.digest).where(unused).limit(1)
        # most calls have nothing to write, and then wait for nobody who writes
        if connection.scalar(one_unused) is None:
            return False

    with write_transaction(engine, AdvisoryLock.INDEX) as connection:
        connection.execute(delete(DEFINITION).where(unused))

    return True


def _read_new_digests(engine: Engine) -> set[str]:
    is_new = DEFINITION.c.is_grouped == false()
    with read_transaction(engine) as connection:
        return set(connection.scalars(select(DEFINITION.c.digest).where(is_new)))


def _read_signatures(
    engine: Engine,
) -> tuple[dict[str, str], list[Signature]]:
    """Return digest to cluster, and the signatures, of all texts."""
    columns = DEFINITION.c
    statement = select(
        columns.name, columns.digest, columns.minhash, columns.near_cluster
    )
    statement = statement.where(columns.version == SIGNATURE_VERSION)
    cluster_of: dict[str, str] = {}
    signatures: list[Signature] = []

    with read_transaction(engine) as connection:
        options = {"yield_per": _ROWS_PER_FETCH}
        for row in connection.execute(statement, execution_options=options):
            cluster_of[row.digest] = row.near_cluster
            signatures.append(Signature(row.name, row.digest, row.minhash))

    return cluster_of, signatures


def _write_groups(engine: Engine, changed: dict[str, str]) -> None:
    values = [
        {"text": digest, "cluster": cluster}
        for digest, cluster in sorted(changed.items())
    ]
    statement = update(DEFINITION).where(DEFINITION.c.digest == bindparam("text"))
    statement = statement.values(near_cluster=bindparam("cluster"), is_grouped=True)
    with write_transaction(engine, AdvisoryLock.INDEX) as connection:
        for chunk in iter_slices(values, _ROWS_PER_UPDATE):
            connection.execute(statement, chunk)


def _definition_row(signature: Signature) -> Row:
    """Return the row of a kernel's text that nobody has compared with others yet."""
    return {
        "digest": signature.digest,
        "name": signature.name,
        "minhash": signature.minhash,
        "version": SIGNATURE_VERSION,
        "near_cluster": signature.digest,
        "is_grouped": False,
    }
