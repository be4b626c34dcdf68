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
from storage.index.kernel_rows import rows
from storage.tables import BUILD, RUN, SUITE

BuildKey = tuple[str, str, str]
"""(unit, target, digest of the toolchain)."""
_RUN_KEY: Final = ("unit", "device", "details", "toolchain")


def next_id(connection: Connection, table: Table) -> int:
    """Return the number after the largest id: ids only grow, so the newest row has the largest."""
    largest = connection.scalar(select(func.max(table.c.id)))
    # an empty table has none
    return (largest or 0) + 1


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
    number = next_id(connection, BUILD)
    build_rows: list[rows.Row] = []

    for build, digest in zip(builds.values(), encoded, strict=True):
        row = rows.build_row(build, digest)
        build_rows.append({"id": number, **row})
        number += 1

    insert_all(connection, BUILD, build_rows)


def _delete_builds(connection: Connection, keys: Collection[BuildKey]) -> None:
    # one query for many: a statement for each key costs more than the rest of storing a build
    units = sorted({unit for unit, _, _ in keys})
    for chunk in iter_slices(units, CHUNK_SIZE):
        replaced: list[dict[str, Any]] = []

        for row in _read_build_keys(connection, chunk):
            if (row.unit, row.target, row.toolchain) in keys:
                replaced.append({"old": row.id})

        if replaced:
            statement = delete(BUILD).where(BUILD.c.id == bindparam("old"))
            connection.execute(statement, replaced)


def _read_build_keys(connection: Connection, units: Sequence[str]) -> Sequence[Any]:
    columns = BUILD.c
    statement = select(
        columns.id,
        columns.unit,
        columns.target,
        columns.toolchain,
    )
    statement = statement.where(columns.unit.in_(units))

    return connection.execute(statement).all()


def write_suites(connection: Connection, suites: Iterable[tuple[Suite, str]]) -> None:
    """Write suites with the digests of their JSON."""
    suite_rows: list[rows.Row] = []
    for suite, digest in suites:
        suite_rows.append(rows.suite_row(suite, digest))

    if not suite_rows:
        return

    # a suite is named by its content: the row that is there says the same
    statement = upsert(SUITE).on_conflict_do_nothing()
    connection.execute(statement, suite_rows)


def write_runs(connection: Connection, runs: Iterable[tuple[Run, str]]) -> None:
    """Write runs with the digests of their JSON; a newer one of the same key replaces the older.

    Raises `KeyError` where one names a suite that was never put.
    """
    listed = list(runs)
    # a dangling digest would be found only when somebody reads the record
    suites = {run.suite for run, _ in listed if run.suite}
    _require_suites(connection, suites)

    for run, digest in listed:
        row = rows.run_row(run, digest)
        # before the older run of the same key goes, so that ids only grow
        number = next_id(connection, RUN)
        # the further runs of an older one go with it: those of this one follow
        if not run.is_further:
            _delete_runs(connection, row)
        connection.execute(insert(RUN), {"id": number, **row})


def _delete_runs(connection: Connection, row: rows.Row) -> None:
    """Delete the runs that `row` replaces."""
    is_same = [RUN.c[name] == row[name] for name in _RUN_KEY]
    connection.execute(delete(RUN).where(*is_same))


def _require_suites(connection: Connection, digests: set[str]) -> None:
    statement = select(SUITE.c.digest).where(SUITE.c.digest.in_(digests))
    stored = connection.scalars(statement)
    missing = digests.difference(stored)
    if missing:
        raise KeyError(min(missing))
