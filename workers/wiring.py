"""Joins the settings to the storage that they name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workers.settings import Settings

if TYPE_CHECKING:
    from storage.open import Storage


@contextmanager
def storage_of(settings: Settings) -> Iterator[Storage]:
    """Open the storage of `settings`, and close it afterwards."""
    from storage.open import open_storage

    storage = open_storage(settings.home)
    try:
        yield storage
    finally:
        storage.close()
