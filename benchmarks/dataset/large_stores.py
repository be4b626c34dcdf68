"""Stores of a million kernels on SQLite and Postgres, which may be kept between measurements."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
from sqlalchemy import Engine, func, inspect, select, text

from benchmarks.dataset.multiplied_rows import is_original, multiply_rows
from storage.open import Storage, open_storage, upgrade_postgres
from storage.tables import METADATA, REVISION

_SERVER_SETTINGS: Final = {
    "shared_buffers": "1GB",
    "max_wal_size": "4GB",
    "maintenance_work_mem": "512MB",
}
"""What somebody with a million kernels gives a server; its own are for a toy."""


_WITHOUT_CHECKS: Final = "SET LOCAL session_replication_role = replica"
_REMEMBERED_INDEXES: Final = (
    "CREATE TABLE IF NOT EXISTS dropped_index (name text PRIMARY KEY, made text)"
)
_REMEMBER_INDEXES: Final = (
    "INSERT INTO dropped_index SELECT indexname, indexdef FROM pg_indexes"
    " WHERE schemaname = 'public' AND indexdef LIKE 'CREATE INDEX%%'"
)
"""A unique one is a constraint's, which stays."""
_DROPPED_NAMES: Final = "SELECT name FROM dropped_index"
_DROPPED_INDEXES: Final = "SELECT name, made FROM dropped_index"
_FORGET_INDEX: Final = text("DELETE FROM dropped_index WHERE name = :name")


@dataclass(frozen=True)
class LargeStore:
    """A store, and the server of its database where there is one."""

    storage: Storage
    server: int | None = None
    """Its process."""

    def read_processor_seconds(self) -> float:
        """Return how long this process, and those of the server, have had a processor."""
        seconds = time.process_time()
        if self.server is not None:
            server = psutil.Process(self.server)
            for process in (server, *server.children(recursive=True)):
                seconds += _read_nanoseconds(process.pid) / 1e9
        return seconds


def _read_nanoseconds(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[0])
    except FileNotFoundError:
        # a helper of the server that has ended
        return 0


@contextmanager
def open_store(database: str, kept: Path | None = None) -> Iterator[LargeStore]:
    """Give a store on `sqlite` or `postgres`, under the folder `kept` or in one that goes away."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = kept or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if database == "sqlite":
            with open_storage(folder) as storage:
                yield LargeStore(storage)
            return

        with (
            _serve_postgres(folder / "server") as (url, server),
            open_storage(folder, database=url) as storage,
        ):
            yield LargeStore(storage, server)


@contextmanager
def _serve_postgres(folder: Path) -> Iterator[tuple[str, int]]:
    # a development dependency, as for the tests
    from tests.servers.postgres import FAST, Postgres, programs

    folder.mkdir(exist_ok=True)
    server = Postgres(folder, programs(), {**FAST, **_SERVER_SETTINGS})
    is_new = not (folder / "data").is_dir()
    if is_new:
        server.initialise()
    server.start()
    try:
        if is_new:
            server.run("CREATE DATABASE scale")
            upgrade_postgres(server.url("scale"))
        assert server.process
        yield server.url("scale"), server.process.pid
    finally:
        server.stop()


def fill_store(
    storage: Storage, fill: Callable[[Storage, int], Any], kernels: int, copies: int
) -> None:
    """Let `fill` put kernels, and multiply their rows `copies` times; what is there stays.

    Whoever was interrupted while copies were made goes on where they were.
    """
    present = count_copies(storage)
    if not present:
        fill(storage, kernels)
    if present < copies:
        _drop_indexes(storage.engine)
    for copy in range(max(1, present), copies):
        with storage.engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                # what is copied refers to what is there: nothing is to be checked
                connection.exec_driver_sql(_WITHOUT_CHECKS)
            multiply_rows(connection, copy)
        print(f"copy {copy} of {copies - 1}", file=sys.stderr)

    if _make_indexes(storage.engine):
        _analyse(storage)


def _drop_indexes(engine: Engine) -> None:
    """Drop those indexes of Postgres that take a fraction of the time once all rows are there.

    They are written down in the database, from which they are made however this was interrupted.
    """
    if engine.dialect.name == "postgresql":
        with engine.begin() as connection:
            connection.exec_driver_sql(_REMEMBERED_INDEXES)
            connection.exec_driver_sql(_REMEMBER_INDEXES)
            for name in connection.exec_driver_sql(_DROPPED_NAMES).scalars().all():
                connection.exec_driver_sql(f"DROP INDEX IF EXISTS {name}")


def _make_indexes(engine: Engine) -> bool:
    """Make the indexes that were dropped; false where none was."""
    if not inspect(engine).has_table("dropped_index"):
        return False

    with engine.connect() as connection:
        dropped = connection.exec_driver_sql(_DROPPED_INDEXES).all()
    for name, made in dropped:
        with engine.begin() as connection:
            connection.exec_driver_sql(made)
            connection.execute(_FORGET_INDEX, {"name": name})
        print(f"index {name}", file=sys.stderr)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE dropped_index")
    return True


def count_copies(storage: Storage) -> int:
    """Return how often the rows are there; 0 in an empty store."""
    total = select(func.count()).select_from(REVISION)
    with storage.engine.connect() as connection:
        revisions = connection.scalar(total) or 0
        originals = connection.scalar(total.where(is_original(REVISION))) or 1

    return revisions // originals


def _analyse(storage: Storage) -> None:
    """Let the planner know how large the tables are, as a database does by itself with time."""
    with storage.engine.begin() as connection:
        for table in METADATA.sorted_tables:
            connection.exec_driver_sql(f"ANALYZE {table.name}")
