"""Open and upgrade the storage that the settings name."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workers.config.settings import Settings

if TYPE_CHECKING:
    from storage.blobs.bucket import Bucket
    from storage.open import Storage


@contextmanager
def open_configured_storage(settings: Settings) -> Iterator[Storage]:
    """Open the storage of `settings`, and close it afterwards."""
    # database and S3 clients are slow to import, and `--help` needs none
    from storage.open import open_storage

    storage = open_storage(
        settings.home,
        database=_database_address(settings),
        bucket=_parse_bucket(settings),
    )
    try:
        yield storage
    finally:
        storage.close()


def preload_before_fork(settings: Settings) -> None:
    """Load what processes that this one forks would each load for themselves."""
    if settings.blobs:
        from storage.blobs.s3_client import preload_client

        preload_client()

    # Celery collects before each fork; what is here to stay need not be looked through, nor
    # copied by those who do
    gc.freeze()


def upgrade_database(settings: Settings) -> None:
    """Bring the database of `settings` to this version's form.

    Raises `Misconfigured` where that cannot be.
    """
    address = _database_address(settings)
    if address:
        from storage.open import upgrade_postgres

        upgrade_postgres(address)
        return

    # the embedded database is upgraded whenever it is opened
    with open_configured_storage(settings):
        pass


def _database_address(settings: Settings) -> str:
    return settings.database.get_secret_value() if settings.database else ""


def _parse_bucket(settings: Settings) -> Bucket | None:
    if not settings.blobs:
        return None
    from storage.blobs.bucket import parse_bucket_address

    return parse_bucket_address(
        settings.blobs,
        endpoint=settings.s3_endpoint,
        region=settings.s3_region,
        encryption=settings.s3_encryption,
    )
