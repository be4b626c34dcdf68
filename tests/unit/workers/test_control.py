"""A crawl for the cluster warns of the queues that it needs and nobody serves, and of no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.open import open_storage
from workers.control import unserved
from workers.queues import stage_of
from workers.settings import Settings
from workers.stages.tasks import revision

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
        storage.roster.beat("host/1", PLAIN, 1, dict.fromkeys(PLAIN, "0"))
        assert unserved(settings, storage) == (*PLAIN, *lacking), "another version is no help"
        storage.roster.beat("host/1", PLAIN, 1, {queue: revision(stage_of(queue)) for queue in PLAIN})
        assert unserved(settings, storage) == lacking
        scaled = Settings(home=tmp_path, devices=devices, autoscaled=("validate.rocm.*", "validate.cpu"))
        assert unserved(scaled, storage) == ()
