"""Insert runs and case suites into their tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select

from crawler.model import Run, Suite
from storage.database.base import upsert
from storage.index import rows
from storage.index.sql_filters import RUN, SUITE

_PLACE: Final = ("unit", "device", "details", "toolchain")


def put_suites(connection: Connection, suites: Iterable[tuple[Suite, str]]) -> None:
    """Write suites with the digests of their JSON."""
    kept = [rows.suite_row(suite, digest) for suite, digest in suites]
    if kept:
        connection.execute(upsert(SUITE).on_conflict_do_nothing(), kept)


def put_runs(connection: Connection, runs: Iterable[tuple[Run, str]]) -> None:
    """Write runs with the digests of their JSON; a newer one of the same place replaces the
    older.

    Raises `KeyError` where one names a suite that was never put.
    """
    listed = list(runs)
    _refuse_unknown(connection, {run.suite for run, _ in listed if run.suite})
    for run, digest in listed:
        row = rows.run_row(run, digest)
        # ids only grow, so the largest of a unit and device is the newest
        last = connection.scalar(select(func.max(RUN.c.id))) or 0
        connection.execute(
            delete(RUN).where(*(RUN.c[name] == row[name] for name in _PLACE))
        )
        connection.execute(insert(RUN), {"id": last + 1, **row})


def _refuse_unknown(connection: Connection, suites: set[str]) -> None:
    known = set(
        connection.scalars(select(SUITE.c.digest).where(SUITE.c.digest.in_(suites)))
    )
    if suites - known:
        raise KeyError(min(suites - known))
