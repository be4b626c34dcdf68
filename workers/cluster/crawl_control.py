"""Enqueue a crawl for the cluster, and tell its state and the queues that lack workers."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from crawler.sources.locator import find_source
from storage.ledger.interface import Lane, Stage
from workers.config.settings import Settings
from workers.local.crawl import check_targets, make_list_payload
from workers.tasks.device_batches import find_missing_device_batches
from workers.tasks.queues import queue_of, stage_of
from workers.tasks.task_specs import make_task_spec, stage_revision

if TYPE_CHECKING:
    from storage.open import Storage

_WHERE_ASKED = (Stage.VALIDATE_CPU, Stage.VALIDATE_DEVICE)
"""Stages that need a worker only where `devices` names what they run on."""


def enqueue_crawl(
    locators: Sequence[str], settings: Settings, storage: Storage, *, limit: int = 0
) -> str:
    """Record a crawl and return its id; raises `Misconfigured` where a locator or a target is
    none.
    """
    asked = [make_list_payload(locator, settings, limit) for locator in locators]
    for each in asked:
        find_source(each.locator)
    check_targets(settings.targets)
    tasks = tuple(make_task_spec(Stage.LIST, each, each.locator) for each in asked)
    crawl = storage.ledger.open_crawl(tuple(locators), tasks)
    # what had run on the CPU before devices were named
    missing = find_missing_device_batches(storage, crawl, settings.devices)
    return (
        storage.ledger.open_crawl(tuple(locators), (*tasks, *missing))
        if missing
        else crawl
    )


def unserved_queues(settings: Settings, storage: Storage) -> tuple[str, ...]:
    """Return the queues that a crawl needs and no worker of this version serves, nor was
    promised to.
    """
    lanes = storage.worker_registry.served_lanes()
    wanted = [queue_of(stage) for stage in Stage if stage not in _WHERE_ASKED]
    for device in settings.devices:
        if device == "cpu":
            wanted.append(queue_of(Stage.VALIDATE_CPU))
        elif ":" in device:
            wanted.append(queue_of(Stage.VALIDATE, device))
    return tuple(
        queue
        for queue in wanted
        if Lane(queue, stage_revision(stage_of(queue))) not in lanes
        and not any(fnmatchcase(queue, each) for each in settings.autoscaled)
    )


def cluster_crawl_state(settings: Settings, storage: Storage, crawl: str) -> str:
    """Return `active`, `paused`, `cancelled`, `complete`, or `complete_with_blocked`: nobody
    serves what is left.
    """
    held = storage.ledger.crawl_state(crawl)
    if held == "cancelled":
        return held
    if not storage.ledger.count_unfinished(crawl):
        return "complete"
    blocked = held == "active" and storage.worker_registry.is_crawl_blocked(
        crawl, settings.autoscaled
    )
    return "complete_with_blocked" if blocked else held
