"""Open the storage: SQLite and local blobs, or Postgres and an S3 bucket."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sqlalchemy import Engine

from crawler.model import Repo
from storage.access.sql_token_book import SqlTokenBook
from storage.blobs.durable_files import translate_disk_full
from storage.blobs.indexed_blobs import IndexedBlobStore
from storage.blobs.local_blobs import LocalBlobStore
from storage.database.engine import create_server_clock, create_sqlite_engine
from storage.database.file_system import require_local_disk
from storage.database.schema import migrate_embedded, require_current, upgrade_database
from storage.index.imported_samples import SqlImportedSamples
from storage.index.source_memory import SqlSourceMemory
from storage.index.sql_index import SqlKernelIndex
from storage.ledger.crawls.stranded_tasks import SqlStrandedTasks
from storage.ledger.dispatch.dispatch_window import SqlDispatchWindow
from storage.ledger.dispatch.worker_registry import SqlWorkerRegistry
from storage.ledger.sql_ledger import SqlLedger
from storage.maintenance.garbage import CollectionResult, collect_garbage
from storage.maintenance.purge import PurgeResult, purge_commits
from storage.reviews.sql_review_book import SqlReviewBook

if TYPE_CHECKING:
    from storage.blobs.bucket import Bucket


@dataclass(frozen=True, slots=True)
class Storage:
    """All stores of one database. Each process opens its own; threads may share one."""

    blobs: IndexedBlobStore
    ledger: SqlLedger
    index: SqlKernelIndex
    imported_samples: SqlImportedSamples
    reviews: SqlReviewBook
    tokens: SqlTokenBook
    source_memory: SqlSourceMemory
    worker_registry: SqlWorkerRegistry
    dispatch_window: SqlDispatchWindow
    stranded_tasks: SqlStrandedTasks
    engine: Engine
    clock: Callable[[], float]

    def purge(self, is_opted_out: Callable[[Repo], bool]) -> PurgeResult:
        """Remove every commit for which `is_opted_out`, with all that only it needs.

        See `storage.maintenance.purge`.
        """
        return purge_commits(self.engine, self.blobs.erase, is_opted_out)

    def collect_garbage(
        self, *, grace_seconds: float, task_seconds: float, dry_run: bool = False
    ) -> CollectionResult:
        """Erase blobs that nothing has referenced for `grace_seconds` seconds.

        See `storage.maintenance.garbage`.
        """
        return collect_garbage(
            self.engine,
            self.blobs,
            grace_seconds=grace_seconds,
            now=self.clock(),
            task_seconds=task_seconds,
            dry_run=dry_run,
        )

    def close(self) -> None:
        """Close files and connections."""
        self.blobs.close()
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_storage(
    home: Path, *, database: str = "", bucket: Bucket | None = None
) -> Storage:
    """Open the storage under `home`, which is created and migrated as needed.

    `database` is the address of a Postgres to use instead of SQLite, and `bucket` holds the
    blobs instead of a folder.

    Raises `Misconfigured` on a network file system and for a database of another version,
    `DiskFull` where nothing fits, `StoreUnavailable` where the server does not answer.
    """
    with translate_disk_full():
        home.mkdir(parents=True, exist_ok=True)
        require_local_disk(home)
        engine = _open_postgres(database) if database else _open_sqlite(home)
        blobs = _open_blobs(home, bucket, engine)

    clock = create_server_clock(engine) if database else time.time
    return Storage(
        blobs=blobs,
        ledger=SqlLedger(engine, clock=clock),
        index=SqlKernelIndex(engine, blobs),
        imported_samples=SqlImportedSamples(engine, blobs),
        reviews=SqlReviewBook(engine, clock),
        tokens=SqlTokenBook(engine, clock),
        source_memory=SqlSourceMemory(engine, clock),
        worker_registry=SqlWorkerRegistry(engine, clock),
        dispatch_window=SqlDispatchWindow(engine, clock),
        stranded_tasks=SqlStrandedTasks(engine, clock),
        engine=engine,
        clock=clock,
    )


def upgrade_postgres(database: str) -> None:
    """Bring the database of a server to this version's schema.

    Raises as `storage.database.schema.upgrade_database` does.
    """
    # psycopg is imported only where there is a server
    from storage.database.postgres import create_postgres_engine

    engine = create_postgres_engine(database)

    try:
        upgrade_database(engine)
    finally:
        engine.dispose()


def _open_blobs(home: Path, bucket: Bucket | None, engine: Engine) -> IndexedBlobStore:
    if bucket is None:
        return LocalBlobStore(home / "blobs", engine)

    # boto3 costs a quarter of a second to import
    from storage.blobs.s3_blobs import S3BlobStore

    return S3BlobStore(bucket, engine)


def _open_sqlite(home: Path) -> Engine:
    engine = create_sqlite_engine(home / "kernelset.db")
    migrate_embedded(engine, home / "migrate.lock")
    return engine


def _open_postgres(database: str) -> Engine:
    from storage.database.postgres import create_postgres_engine

    engine = create_postgres_engine(database)

    try:
        require_current(engine)
    except BaseException:
        engine.dispose()
        raise

    return engine
