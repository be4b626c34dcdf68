"""Open the storage: SQLite and local blobs, or Postgres and an S3 bucket."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sqlalchemy import Engine

from storage.blobs.durable_files import translate_disk_full
from storage.blobs.indexed_blobs import IndexedBlobStore
from storage.blobs.local_blobs import LocalBlobStore
from storage.database.engine import create_server_clock, create_sqlite_engine
from storage.database.file_system import require_local_disk
from storage.database.schema import migrate_embedded, require_current, upgrade_database

if TYPE_CHECKING:
    from crawler.model import Repo
    from storage.access.sql_request_book import SqlRequestBook
    from storage.access.sql_token_book import SqlTokenBook
    from storage.blobs.bucket import Bucket
    from storage.completions.sql_attempt_book import SqlAttemptBook
    from storage.index.imported_samples import SqlImportedSamples
    from storage.index.source_memory import SqlSourceMemory
    from storage.index.sql_index import SqlKernelIndex
    from storage.ledger.crawls.stranded_tasks import SqlStrandedTasks
    from storage.ledger.dispatch.dispatch_window import SqlDispatchWindow
    from storage.ledger.dispatch.worker_registry import SqlWorkerRegistry
    from storage.ledger.quotas.sql_quotas import SqlQuotas
    from storage.ledger.sql_ledger import SqlLedger
    from storage.maintenance.garbage import CollectionResult
    from storage.maintenance.purge import PurgeResult
    from storage.maintenance.retention import ExpiryResult
    from storage.reviews.sql_review_book import SqlReviewBook


@dataclass(frozen=True)
class Storage:
    """All stores of one database. Each process opens its own; threads may share one.

    A store is loaded when it is first asked for: a query waits for none but the index.
    """

    blobs: IndexedBlobStore
    engine: Engine
    clock: Callable[[], float]

    @cached_property
    def index(self) -> SqlKernelIndex:
        """The kernels, with their units and verdicts."""
        from storage.index.sql_index import SqlKernelIndex

        return SqlKernelIndex(self.engine, self.blobs)

    @cached_property
    def ledger(self) -> SqlLedger:
        """The tasks and crawls."""
        from storage.ledger.sql_ledger import SqlLedger

        return SqlLedger(self.engine, clock=self.clock)

    @cached_property
    def imported_samples(self) -> SqlImportedSamples:
        """The results of other benchmarks."""
        from storage.index.imported_samples import SqlImportedSamples

        return SqlImportedSamples(self.engine, self.blobs)

    @cached_property
    def attempts(self) -> SqlAttemptBook:
        """What models were asked, and what came of it."""
        from storage.completions.sql_attempt_book import SqlAttemptBook

        return SqlAttemptBook(self.engine, self.blobs, self.clock)

    @cached_property
    def reviews(self) -> SqlReviewBook:
        """What people say of units."""
        from storage.reviews.sql_review_book import SqlReviewBook

        return SqlReviewBook(self.engine, self.clock)

    @cached_property
    def tokens(self) -> SqlTokenBook:
        """Who may log in to the page."""
        from storage.access.sql_token_book import SqlTokenBook

        return SqlTokenBook(self.engine, self.clock)

    @cached_property
    def requests(self) -> SqlRequestBook:
        """Who asked for what."""
        from storage.access.sql_request_book import SqlRequestBook

        return SqlRequestBook(self.engine, self.clock)

    @cached_property
    def source_memory(self) -> SqlSourceMemory:
        """What sources remember of servers."""
        from storage.index.source_memory import SqlSourceMemory

        return SqlSourceMemory(self.engine, self.clock)

    @cached_property
    def worker_registry(self) -> SqlWorkerRegistry:
        """The workers of a cluster that live."""
        from storage.ledger.dispatch.worker_registry import SqlWorkerRegistry

        return SqlWorkerRegistry(self.engine, self.clock)

    @cached_property
    def dispatch_window(self) -> SqlDispatchWindow:
        """The tasks that are sent to workers."""
        from storage.ledger.dispatch.dispatch_window import SqlDispatchWindow

        return SqlDispatchWindow(self.engine, self.clock)

    @cached_property
    def quotas(self) -> SqlQuotas:
        """What crawls and owners used, and whom that holds."""
        from storage.ledger.quotas.sql_quotas import SqlQuotas

        return SqlQuotas(self.engine, self.clock)

    @cached_property
    def stranded_tasks(self) -> SqlStrandedTasks:
        """The tasks that no worker serves."""
        from storage.ledger.crawls.stranded_tasks import SqlStrandedTasks

        return SqlStrandedTasks(self.engine, self.clock)

    def purge(self, is_opted_out: Callable[[Repo], bool]) -> PurgeResult:
        """Remove every commit for which `is_opted_out`, with all that only it needs.

        See `storage.maintenance.purge`.
        """
        from storage.maintenance.purge import purge_commits

        return purge_commits(self.engine, self.blobs.erase, is_opted_out)

    def collect_garbage(
        self, *, grace_seconds: float, task_seconds: float, dry_run: bool = False
    ) -> CollectionResult:
        """Erase blobs that nothing has referenced for `grace_seconds` seconds.

        See `storage.maintenance.garbage`.
        """
        from storage.maintenance.garbage import collect_garbage

        return collect_garbage(
            self.engine,
            self.blobs,
            grace_seconds=grace_seconds,
            now=self.clock(),
            task_seconds=task_seconds,
            dry_run=dry_run,
        )

    def expire(self, before: float, *, dry_run: bool = False) -> ExpiryResult:
        """Remove crawls that ended before that time, with the tasks that only they need.

        See `storage.maintenance.retention`.
        """
        from storage.maintenance.retention import expire, preview_expiry

        return (preview_expiry if dry_run else expire)(self.engine, before)

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
    return Storage(blobs=blobs, engine=engine, clock=clock)


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
