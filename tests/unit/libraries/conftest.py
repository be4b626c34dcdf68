"""Header libraries as tests lay them out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.libraries import discovery
from tests.header_libraries import plant_thrust


@pytest.fixture
def thrust(tmp_path: Path) -> Iterator[Path]:
    """Return a folder that holds Thrust 1.17.2 and is named as one to look into."""
    folder = plant_thrust(tmp_path / "named")
    discovery.name_folders([folder])
    yield folder
    discovery.name_folders([])


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    # as on a machine without any
    monkeypatch.setattr(discovery, "_find_all", dict)
