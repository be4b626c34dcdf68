"""Opens everything that is kept under one folder of this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Engine

from crawler.model import Repo
from storage.blobs import LocalBlobs
from storage.engine import sqlite_engine
from storage.files import room
from storage.index import SqlIndex
from storage.purge import Purged, purge
from storage.schema import migrate
from storage.tasks import SqlLedger
from storage.visits import SqlVisits
from storage.volume import refuse_network


@dataclass(frozen=True, slots=True)
class Storage:
    """The embedded default: SQLite and local packs. Each process opens its own; threads may share one."""

    blobs: LocalBlobs
    ledger: SqlLedger
    index: SqlIndex
    visits: SqlVisits
    engine: Engine

    def purge(self, covers: Callable[[Repo], bool]) -> Purged:
        """Remove every commit that `covers` names, with all that only it needs; see `storage.purge`."""
        return purge(self.engine, self.blobs.erase, covers)

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


def open_storage(home: Path) -> Storage:
    """Open what lies under `home`, made and migrated as needed.

    Raises `Misconfigured` on a network file system and for a newer database, `DiskFull` where nothing fits.
    """
    with room():
        home.mkdir(parents=True, exist_ok=True)
        refuse_network(home)
        engine = sqlite_engine(home / "kernelset.db")
        migrate(engine, home / "migrate.lock")
        blobs = LocalBlobs(home / "blobs", engine)
        return Storage(blobs, SqlLedger(engine), SqlIndex(engine, blobs), SqlVisits(engine), engine)
