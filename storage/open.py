"""Opens everything that is kept: under one folder of this machine, or in a server's database."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sqlalchemy import Engine

from crawler.model import Repo
from storage.blobs import LocalBlobs
from storage.engine import server_clock, sqlite_engine
from storage.files import room
from storage.garbage import Collected, collect
from storage.index import SqlIndex
from storage.placed import PlacedBlobs
from storage.purge import Purged, purge
from storage.renewal import SqlRenewal
from storage.roster import SqlRoster
from storage.schema import migrate, require_current, upgrade
from storage.tasks import SqlLedger
from storage.visits import SqlVisits
from storage.volume import refuse_network
from storage.window import SqlWindow

if TYPE_CHECKING:
    from storage.s3 import Bucket


@dataclass(frozen=True, slots=True)
class Storage:
    """Where everything is kept. Each process opens its own; threads may share one."""

    blobs: PlacedBlobs
    ledger: SqlLedger
    index: SqlIndex
    visits: SqlVisits
    roster: SqlRoster
    window: SqlWindow
    renewal: SqlRenewal
    engine: Engine
    clock: Callable[[], float]

    def purge(self, covers: Callable[[Repo], bool]) -> Purged:
        """Remove every commit that `covers` names, with all that only it needs; see `storage.purge`."""
        return purge(self.engine, self.blobs.erase, covers)

    def collect(self, *, grace: float, task_seconds: float, dry: bool = False) -> Collected:
        """Erase what nothing has named for `grace` seconds; see `storage.garbage`."""
        return collect(self.engine, self.blobs, grace=grace, now=self.clock(), task_seconds=task_seconds, dry=dry)

    def close(self) -> None:
        """Let go of files and connections."""
        self.blobs.close()
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_storage(home: Path, *, database: str = "", bucket: Bucket | None = None) -> Storage:
    """Open what lies under `home`, made and migrated as needed; `database` is the address of a Postgres instead, and
    `bucket` holds the blobs.

    Raises `Misconfigured` on a network file system and for a database of another version, `DiskFull` where nothing
    fits, `StoreAway` where the server does not answer.
    """
    with room():
        home.mkdir(parents=True, exist_ok=True)
        refuse_network(home)
        engine = _served(database) if database else _embedded(home)
        blobs = _bucketed(bucket, engine) if bucket else LocalBlobs(home / "blobs", engine)
    clock = server_clock(engine) if database else time.time
    return Storage(
        blobs=blobs,
        ledger=SqlLedger(engine, clock=clock),
        index=SqlIndex(engine, blobs),
        visits=SqlVisits(engine, clock),
        roster=SqlRoster(engine, clock),
        window=SqlWindow(engine, clock),
        renewal=SqlRenewal(engine, clock),
        engine=engine,
        clock=clock,
    )


def upgrade_server(database: str) -> None:
    """Bring the database of a server to this version's form; raises as `storage.schema.upgrade` does."""
    from storage.postgres import postgres_engine

    engine = postgres_engine(database)
    try:
        upgrade(engine)
    finally:
        engine.dispose()


def _bucketed(bucket: Bucket, engine: Engine) -> PlacedBlobs:
    # boto3 costs a quarter of a second to import
    from storage.s3 import S3Blobs

    return S3Blobs(bucket, engine)


def _embedded(home: Path) -> Engine:
    engine = sqlite_engine(home / "kernelset.db")
    migrate(engine, home / "migrate.lock")
    return engine


def _served(database: str) -> Engine:
    from storage.postgres import postgres_engine

    engine = postgres_engine(database)
    try:
        require_current(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine
