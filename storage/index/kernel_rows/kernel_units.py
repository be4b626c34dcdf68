"""Units and ports: texts and JSON in the blob store, rows in the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection, Select, delete, func, select, union

from crawler.codec import decode, encode
from crawler.model import KernelUnit, Repo
from storage.database.bulk_insert import insert_all, upsert_all
from storage.database.chunks import CHUNK_SIZE, iter_slices
from storage.index.kernel_rows import rows
from storage.index.kernel_rows.revisions import select_revision
from storage.interfaces import BlobStore
from storage.tables import KERNEL, PORT, PORT_BLOCKER, UNIT

UNITS_PER_PAGE: Final = 500
StoredUnit = tuple[KernelUnit, str]
"""A unit, and the digest of its JSON without its text."""


def store_units(blobs: BlobStore, units: Sequence[KernelUnit]) -> list[StoredUnit]:
    """Store the texts of `units`, and their JSON without them.

    Raises `ValueError` for a unit whose digest is not that of its text.
    """
    # the digest of a unit is that of its text, so the text needs no column
    texts = (unit.source.encode() for unit in units)
    digests = blobs.put_many(texts)

    for unit, digest in zip(units, digests, strict=True):
        if unit.digest != digest:
            raise ValueError(
                f"the unit of {unit.kernel_name} is not named by the digest of its text"
            )

    encoded_units = (encode(replace(unit, source="")) for unit in units)
    encoded = blobs.put_many(encoded_units)

    return list(zip(units, encoded, strict=True))


def decode_unit(encoded: bytes, text: bytes) -> KernelUnit:
    """Return the unit of a JSON without its text, and that text."""
    unit = decode(encoded, KernelUnit)
    return replace(unit, source=text.decode())


def load_units(
    blobs: BlobStore, digest_pairs: Sequence[tuple[str, str]]
) -> Iterator[KernelUnit]:
    """Yield units stored under (digest of the text, digest of the JSON without it)."""
    text_digests = [text_digest for text_digest, _ in digest_pairs]
    json_digests = [json_digest for _, json_digest in digest_pairs]
    texts = blobs.get_many(text_digests)
    encoded_units = blobs.get_many(json_digests)

    for encoded, text in zip(encoded_units, texts, strict=True):
        yield decode_unit(encoded, text)


def write_units(connection: Connection, stored: Iterable[StoredUnit]) -> None:
    """Write the rows of stored units."""
    unit_rows = [rows.unit_row(unit, encoded) for unit, encoded in stored]
    upsert_all(connection, UNIT, unit_rows, key=["digest"])


def write_ports(connection: Connection, stored: Sequence[StoredUnit]) -> None:
    """Replace the ports of the units that `stored` were ported from.

    Raises `KeyError` where one of those was never put.
    """
    sources = sorted({unit.ported_from for unit, _ in stored})
    # before the ports are written: one of them is not put yet as the source of another
    for chunk in iter_slices(sources, CHUNK_SIZE):
        _require_units(connection, chunk)

    # a port refers to the rows of both units; its text may be that of a kernel of a project,
    # whose unit is no port
    own_digests = _find_units_of_kernels(
        connection, [unit.digest for unit, _ in stored]
    )
    write_units(
        connection, (item for item in stored if item[0].digest not in own_digests)
    )

    for chunk in iter_slices(sources, CHUNK_SIZE):
        _delete_ports(connection, chunk)

    # two ports of a unit with the same text are one
    ports: dict[tuple[str, str], StoredUnit] = {}
    for unit, encoded in stored:
        ports[unit.ported_from, unit.digest] = unit, encoded

    port_rows: list[rows.Row] = []
    blocker_rows: list[rows.Row] = []

    for unit, encoded in ports.values():
        port_rows.append(rows.port_row(unit, encoded))
        blocker_rows.extend(rows.blocker_rows(unit))

    insert_all(connection, PORT, port_rows)
    insert_all(connection, PORT_BLOCKER, blocker_rows)


def _find_units_of_kernels(
    connection: Connection, digests: Sequence[str]
) -> frozenset[str]:
    """Return those of some units that kernels of projects have."""
    units_of_kernels: set[str] = set()
    for chunk in iter_slices(sorted(set(digests)), CHUNK_SIZE):
        statement = select(KERNEL.c.unit).where(KERNEL.c.unit.in_(chunk)).distinct()
        units_of_kernels.update(connection.scalars(statement))

    return frozenset(units_of_kernels)


def _require_units(connection: Connection, digests: Sequence[str]) -> None:
    statement = select(UNIT.c.digest).where(UNIT.c.digest.in_(digests))
    stored = connection.scalars(statement)
    missing = set(digests).difference(stored)
    if missing:
        raise KeyError(min(missing))


def _delete_ports(connection: Connection, units: Sequence[str]) -> None:
    is_blocker_of_unit = PORT_BLOCKER.c.unit.in_(units)
    is_port_of_unit = PORT.c.unit.in_(units)

    # blockers refer to their ports
    connection.execute(delete(PORT_BLOCKER).where(is_blocker_of_unit))
    connection.execute(delete(PORT).where(is_port_of_unit))


def select_units_of(repo: Repo, after: str) -> Select[Any]:
    """Return the query for a page of a commit's units and their ports, with digests above `after`.

    Its rows are (digest of the text, digest of the JSON without it), ordered by the former.
    """
    own_digests = _select_unit_digests(repo)
    own = select(UNIT.c.digest, UNIT.c.encoded)
    own = own.where(UNIT.c.digest.in_(own_digests))

    # the JSON is that of the port: another commit's unit may have been ported to the same text
    ported = select(PORT.c.ported, PORT.c.encoded)
    ported = ported.where(
        PORT.c.unit.in_(own_digests),
        PORT.c.ported.not_in(own_digests),
    )

    both = union(own, ported).subquery()
    digest = both.c.digest
    # ports of two units may have the same text and different reports: any one is taken, and
    # always the same
    encoded = func.min(both.c.encoded)

    return (
        select(digest, encoded)
        .where(digest > after)
        .group_by(digest)
        .order_by(digest)
        .limit(UNITS_PER_PAGE)
    )


def _select_unit_digests(repo: Repo) -> Select[Any]:
    revision = select_revision(repo).scalar_subquery()
    is_of_commit = KERNEL.c.revision == revision
    has_unit = KERNEL.c.unit != ""

    return select(KERNEL.c.unit).where(is_of_commit, has_unit)
