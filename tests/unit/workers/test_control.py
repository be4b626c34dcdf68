"""A crawl for the cluster warns of the queues that it needs and nobody serves, and of no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.open import open_storage
from workers.control import unserved
from workers.settings import Settings

PLAIN = ("list", "clone", "build-db", "extract", "link", "port", "validate.build")


@pytest.mark.parametrize(
    ("devices", "lacking"),
    [
        ((), ()),
        (("cpu",), ("validate.cpu",)),
        (("cpu", "rocm:gfx942"), ("validate.cpu", "validate.rocm.gfx942")),
        (("rocm",), ()),
    ],
)
def test_only_what_is_asked_for_needs_a_worker(
    devices: tuple[str, ...], lacking: tuple[str, ...], tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path, devices=devices)
    with open_storage(tmp_path) as storage:
        assert unserved(settings, storage) == (*PLAIN, *lacking)
        storage.roster.beat("host/1", PLAIN, 1)
        assert unserved(settings, storage) == lacking
