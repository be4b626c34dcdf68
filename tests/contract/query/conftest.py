"""A home without a row."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.open import open_storage


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("empty")
    open_storage(home).close()
    return home
