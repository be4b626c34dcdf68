"""A crawl for the cluster warns of the queues that it needs and nobody serves, and of no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.open import open_storage
from workers.cluster.crawl_control import unserved_queues
from workers.config.settings import Settings
from workers.tasks.queues import stage_of
from workers.tasks.task_specs import stage_revision

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
        assert unserved_queues(settings, storage) == (*PLAIN, *lacking)
        storage.worker_registry.record_heartbeat(
            "host/1", PLAIN, 1, dict.fromkeys(PLAIN, "0")
        )
        assert unserved_queues(settings, storage) == (*PLAIN, *lacking), (
            "another version is no help"
        )
        storage.worker_registry.record_heartbeat(
            "host/1",
            PLAIN,
            1,
            {queue: stage_revision(stage_of(queue)) for queue in PLAIN},
        )
        assert unserved_queues(settings, storage) == lacking
        scaled = Settings(
            home=tmp_path,
            devices=devices,
            autoscaled=("validate.rocm.*", "validate.cpu"),
        )
        assert unserved_queues(scaled, storage) == ()
