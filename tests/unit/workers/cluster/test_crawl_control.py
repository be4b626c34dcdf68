"""A crawl for the cluster warns of the queues that it needs and nobody serves, and of no other;
its kernels run where it says, and nowhere else.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from storage.ledger.interface import Outcome, Stage
from storage.open import Storage, open_storage
from workers.cluster.crawl_control import (
    enqueue_crawl,
    enqueue_requests,
    find_active_crawl,
    unserved_queues,
)
from workers.config.settings import Settings
from workers.local.crawl import list_unpinned_requests
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


@pytest.mark.parametrize(
    ("devices", "queues"),
    [
        ((), ()),
        (("cpu",), ("validate.cpu",)),
        # a GPU is given the cases that a run on a CPU found
        (("rocm:gfx942",), ("validate.cpu", "validate.rocm.gfx942")),
    ],
)
def test_a_crawl_runs_kernels_on_the_devices_that_it_names(
    devices: tuple[str, ...], queues: tuple[str, ...], tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path, devices=devices)
    with open_storage(tmp_path) as storage:
        crawl = enqueue_crawl(["pypi:mmcv==2.2.0"], settings, storage)
        assert storage.ledger.run_queues((crawl,)) == queues


@pytest.mark.parametrize(
    ("device", "advice"), [("rocm", "rocm:gfx942"), ("gpu", "--device cpu")]
)
def test_a_device_that_no_queue_is_for_is_refused(
    device: str, advice: str, tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path, devices=(device,))
    with open_storage(tmp_path) as storage:
        with pytest.raises(Misconfigured, match=advice):
            enqueue_crawl(["pypi:mmcv==2.2.0"], settings, storage)
        assert storage.ledger.crawls() == ()


def test_what_has_no_version_is_asked_for_again_when_workers_are_done(
    tmp_path: Path,
) -> None:
    settings = Settings(home=tmp_path, devices=("cpu",))
    with open_storage(tmp_path) as storage:
        enqueue_crawl(["pypi:mmcv==2.2.0", "github:ROCm"], settings, storage)
        requests = list_unpinned_requests(storage)
        assert [request.locator for request in requests] == ["github:ROCm"]

        serve_everything(storage)
        crawl = enqueue_requests(requests, settings, storage)
        assert storage.ledger.run_queues((crawl,)) == ("validate.cpu",)
        assert find_active_crawl({"github:ROCm"}, settings, storage) == crawl
        assert find_active_crawl({"github:AMD"}, settings, storage) == ""

        while claim := storage.ledger.claim("me", (Stage.LIST,), 60, crawl):
            assert storage.ledger.finish(claim, Outcome())
        assert find_active_crawl({"github:ROCm"}, settings, storage) == ""


def test_a_crawl_that_nobody_works_on_holds_up_no_other(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    with open_storage(tmp_path) as storage:
        enqueue_crawl(["github:ROCm"], settings, storage)
        assert find_active_crawl({"github:ROCm"}, settings, storage) == ""


def serve_everything(storage: Storage) -> None:
    queues = (*PLAIN, "validate.cpu")
    revisions = {queue: stage_revision(stage_of(queue)) for queue in queues}
    storage.worker_registry.record_heartbeat("host/1", queues, 1, revisions)
