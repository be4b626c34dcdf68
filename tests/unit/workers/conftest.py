"""Storage and room on disk of a test's own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.open import Storage, open_storage
from workers.config.settings import Settings
from workers.workspace.task_workspace import Workspace, open_workspace


@pytest.fixture
def storage(migrated_database: Path, tmp_path: Path) -> Iterator[Storage]:
    shutil.copy(migrated_database, tmp_path)
    with open_storage(tmp_path) as opened:
        yield opened


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(Settings(home=tmp_path)) as opened:
        yield opened
