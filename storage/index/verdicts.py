"""Write builds, runs and case suites; newer ones replace those of the same place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
)

from crawler.model import Build, Run, Suite
from storage.database.base import upsert
from storage.database.bulk_insert import insert_all
from storage.database.chunks import CHUNK_SIZE, iter_slices
from storage.index import rows
from storage.tables import BUILD, RUN, SUITE

BuildKey = tuple[str, str, str]
"""(unit, target, digest of the toolchain)."""
_RUN_KEY: Final = ("unit", "device", "details", "toolchain")


def next_id(connection: Connection, table: Table) -> int:
    """Return the number after the largest id: ids only grow, so the newest row has the largest."""
    return (connection.scalar(select(func.max(table.c.id))) or 0) + 1


def keep_newest_builds(builds: Iterable[Build]) -> dict[BuildKey, Build]:
    """Return the last build of each key, in the order of their last appearance."""
    newest: dict[BuildKey, Build] = {}
    for build in builds:
        key = build.unit, build.target, build.toolchain.digest
        # assigning alone would keep the place of the older one
        newest.pop(key, None)
        newest[key] = build

    return newest


def write_builds(
    connection: Connection, builds: Mapping[BuildKey, Build], encoded: Sequence[str]
) -> None:
    """Write builds with the digests of their JSON."""
    _delete_builds(connection, builds.keys())
    first = next_id(connection, BUILD)
    pairs = zip(builds.values(), encoded, strict=True)
    build_rows = [
        {"id": number, **rows.build_row(build, digest)}
        for number, (build, digest) in enumerate(pairs, first)
    ]
    insert_all(connection, BUILD, build_rows)


def _delete_builds(connection: Connection, keys: Collection[BuildKey]) -> None:
    # one query for many: a statement for each key costs more than the rest of storing a build
    units = sorted({unit for unit, _, _ in keys})
    columns = BUILD.c.id, BUILD.c.unit, BUILD.c.target, BUILD.c.toolchain

    for chunk in iter_slices(units, CHUNK_SIZE):
        candidates = connection.execute(
            select(*columns).where(BUILD.c.unit.in_(chunk))
        ).all()
        replaced: list[dict[str, Any]] = []

        for row in candidates:
            if (row.unit, row.target, row.toolchain) in keys:
                replaced.append({"old": row.id})

        if replaced:
            statement = delete(BUILD).where(BUILD.c.id == bindparam("old"))
            connection.execute(statement, replaced)


def write_suites(connection: Connection, suites: Iterable[tuple[Suite, str]]) -> None:
    """Write suites with the digests of their JSON."""
    suite_rows = [rows.suite_row(suite, digest) for suite, digest in suites]
    if suite_rows:
        connection.execute(upsert(SUITE).on_conflict_do_nothing(), suite_rows)


def write_runs(connection: Connection, runs: Iterable[tuple[Run, str]]) -> None:
    """Write runs with the digests of their JSON; a newer one of the same key replaces the older.

    Raises `KeyError` where one names a suite that was never put.
    """
    listed = list(runs)
    # a dangling digest would be found only when somebody reads the record
    _require_suites(connection, {run.suite for run, _ in listed if run.suite})

    for run, digest in listed:
        row = rows.run_row(run, digest)
        # before the older run of the same key goes, so that ids only grow
        number = next_id(connection, RUN)
        is_same = [RUN.c[name] == row[name] for name in _RUN_KEY]
        connection.execute(delete(RUN).where(*is_same))
        connection.execute(insert(RUN), {"id": number, **row})


def _require_suites(connection: Connection, digests: set[str]) -> None:
    statement = select(SUITE.c.digest).where(SUITE.c.digest.in_(digests))
    missing = digests - set(connection.scalars(statement))
    if missing:
        raise KeyError(min(missing))
