"""A crawl of the cluster: how it is asked for, and how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from crawler.sources.locator import source_for
from storage.ledger import Lane, Stage
from workers.crawl import asked_for, check_targets
from workers.queues import queue_of, stage_of
from workers.settings import Settings
from workers.stages.device_batches import missing_batches
from workers.stages.tasks import revision, spec

if TYPE_CHECKING:
    from storage.open import Storage

_WHERE_ASKED = (Stage.VALIDATE_CPU, Stage.VALIDATE_DEVICE)
"""Stages that need a worker only where `devices` names what they run on."""


def enqueue(locators: Sequence[str], settings: Settings, storage: Storage, *, limit: int = 0) -> str:
    """Record a crawl and return its id; raises `Misconfigured` where a locator or a target is none."""
    asked = [asked_for(locator, settings, limit) for locator in locators]
    for each in asked:
        source_for(each.locator)
    check_targets(settings.targets)
    tasks = tuple(spec(Stage.LIST, each, each.locator) for each in asked)
    crawl = storage.ledger.open_crawl(tuple(locators), tasks)
    # what had run on the CPU before devices were named
    missing = missing_batches(storage, crawl, settings.devices)
    return storage.ledger.open_crawl(tuple(locators), (*tasks, *missing)) if missing else crawl


def unserved(settings: Settings, storage: Storage) -> tuple[str, ...]:
    """Return the queues that a crawl needs and no worker of this version serves, nor was promised to."""
    lanes = storage.roster.lanes()
    wanted = [queue_of(stage) for stage in Stage if stage not in _WHERE_ASKED]
    for device in settings.devices:
        if device == "cpu":
            wanted.append(queue_of(Stage.VALIDATE_CPU))
        elif ":" in device:
            wanted.append(queue_of(Stage.VALIDATE, device))
    return tuple(
        queue
        for queue in wanted
        if Lane(queue, revision(stage_of(queue))) not in lanes
        and not any(fnmatchcase(queue, each) for each in settings.autoscaled)
    )


def state(settings: Settings, storage: Storage, crawl: str) -> str:
    """Return `active`, `paused`, `cancelled`, `complete`, or `complete_with_blocked`: nobody serves what is left."""
    held = storage.ledger.crawl_state(crawl)
    if held == "cancelled":
        return held
    if not storage.ledger.unfinished(crawl):
        return "complete"
    blocked = held == "active" and storage.roster.is_blocked(crawl, settings.autoscaled)
    return "complete_with_blocked" if blocked else held
