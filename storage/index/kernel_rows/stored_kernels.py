"""Store kernels and their units before rows name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import ColumnElement, Connection, Engine, and_

from crawler.codec import encode
from crawler.model import Kernel, KernelUnit, Repo
from storage.database.chunks import iter_chunks
from storage.database.engine import AdvisoryLock, write_transaction
from storage.index.counts import kept_counts
from storage.index.kernel_rows import definitions, revisions
from storage.index.kernel_rows.kernel_units import store_units, write_units
from storage.index.kernel_rows.kernel_writes import KernelWriter, write_first_units
from storage.interfaces import BlobStore
from storage.tables import KERNEL


@contextmanager
def write_with_units(
    engine: Engine,
    blobs: BlobStore,
    repo: Repo,
    kernels: Iterable[Kernel],
    write: KernelWriter,
) -> Iterator[Connection]:
    """Have `write` write kernels, beside their units and texts, and leave its transaction open."""
    listed = list(kernels)
    # several kernels may have the same unit
    units: dict[str, KernelUnit] = {}
    for kernel in listed:
        if kernel.unit:
            units[kernel.unit.digest] = kernel.unit

    # blobs before rows: a row never names what is not there
    stored = store_units(blobs, list(units.values()))
    encoded_kernels = (encode(replace(kernel, unit=None)) for kernel in listed)
    encoded = blobs.put_many(encoded_kernels)
    signatures = definitions.sign_kernels(listed)

    with write_transaction(engine, AdvisoryLock.INDEX) as connection:
        write_units(connection, stored)
        definitions.write_definitions(connection, signatures)
        texts = [definitions.digest_of(signature) for signature in signatures]
        touched = _select_touched(repo, listed if write is write_first_units else None)
        with kept_counts.adjust_counts(connection, touched):
            write(connection, repo, listed, encoded, texts)
        yield connection


def _select_touched(
    repo: Repo, kernels: Sequence[Kernel] | None
) -> list[ColumnElement[bool]]:
    """Return the conditions for the commit's kernels that are written: those in the files of
    `kernels`, or all.
    """
    is_of_commit = KERNEL.c.revision.in_(revisions.select_revision(repo))
    if kernels is None:
        return [is_of_commit]

    paths = {kernel.span.path for kernel in kernels}
    return [
        and_(is_of_commit, KERNEL.c.path.in_(chunk)) for chunk in iter_chunks(paths)
    ]
