"""Joins the settings to the storage that they name."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workers.settings import Settings

if TYPE_CHECKING:
    from storage.open import Storage
    from storage.s3 import Bucket


@contextmanager
def storage_of(settings: Settings) -> Iterator[Storage]:
    """Open the storage of `settings`, and close it afterwards."""
    from storage.open import open_storage

    storage = open_storage(settings.home, database=_address(settings), bucket=_bucket(settings))
    try:
        yield storage
    finally:
        storage.close()


def prepare(settings: Settings) -> None:
    """Load what processes that this one forks would each load for themselves."""
    if settings.blobs:
        from storage.s3 import load

        load()
    # Celery collects before each fork; what is here to stay need not be looked through, nor copied by those who do
    gc.freeze()


def upgrade_database(settings: Settings) -> None:
    """Bring the database of `settings` to this version's form; raises `Misconfigured` where that cannot be."""
    address = _address(settings)
    if address:
        from storage.open import upgrade_server

        upgrade_server(address)
    else:
        with storage_of(settings):
            pass


def _address(settings: Settings) -> str:
    return settings.database.get_secret_value() if settings.database else ""


def _bucket(settings: Settings) -> Bucket | None:
    if not settings.blobs:
        return None
    from storage.s3 import bucket_at

    return bucket_at(
        settings.blobs, endpoint=settings.s3_endpoint, region=settings.s3_region, encryption=settings.s3_encryption
    )
