"""Enqueue a crawl for the cluster, and tell its state and the queues that lack workers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from crawler.errors import Misconfigured
from crawler.sources.locator import find_source
from crawler.sources.options import RepositoryFilter
from storage.ledger.crawls.crawl_membership import OVER_QUOTA_CRAWL
from storage.ledger.interface import Lane, Stage
from workers.config.requester import choose_requester
from workers.config.settings import Settings
from workers.local.crawl import (
    check_device_names,
    check_targets,
    make_list_payload,
)
from workers.tasks.device_batches import find_missing_device_batches
from workers.tasks.payloads import ListPayload
from workers.tasks.queues import list_run_queues, queue_of, stage_of
from workers.tasks.task_specs import make_task_spec, stage_revision

if TYPE_CHECKING:
    from storage.open import Storage

_STAGES_NOT_ALWAYS_NEEDED = (
    # only where `devices` names what they run on
    Stage.VALIDATE_CPU,
    Stage.VALIDATE_DEVICE,
    # no crawl leads to it
    Stage.JUDGE,
)


def require_broker(settings: Settings) -> None:
    """Raise `Misconfigured` where no broker is set: nobody would ever hear of a crawl."""
    if settings.broker is None:
        raise Misconfigured(
            "`enqueue` and `--queued` are for a cluster, and the setting `broker` names none: "
            "set KERNELSET_BROKER, or work on this machine by `kernelset crawl`, or by "
            "`judge` and `refresh` without the option",
            code="no-broker",
        )


def enqueue_crawl(
    locators: Sequence[str],
    settings: Settings,
    storage: Storage,
    *,
    limit: int = 0,
    repository_filter: RepositoryFilter | None = None,
) -> str:
    """Record a crawl and return its id; its kernels run only on the `devices` of the settings.

    Raises `Misconfigured` for what is no locator, target or device.
    """
    requests = [
        make_list_payload(locator, settings, limit, repository_filter)
        for locator in locators
    ]
    return enqueue_requests(requests, settings, storage)


def enqueue_requests(
    requests: Sequence[ListPayload],
    settings: Settings,
    storage: Storage,
    *,
    verb: str = "enqueue",
) -> str:
    """Record a crawl of `requests`, asked for by `verb`, and return its id.

    Raises as `enqueue_crawl` does.
    """
    for request in requests:
        find_source(request.locator)
        check_targets(request.targets)
    _check_devices(settings.devices)

    locators = tuple(request.locator for request in requests)
    run_queues = list_run_queues(settings.devices)
    tasks = tuple(
        make_task_spec(Stage.LIST, request, request.locator) for request in requests
    )
    asked_by = choose_requester(settings)
    crawl = storage.ledger.open_crawl(locators, tasks, run_queues, asked_by)
    storage.requests.record(verb, asked_by, subject=" ".join(locators), crawl=crawl)

    # what had run on the CPU before devices were named
    missing_tasks = find_missing_device_batches(storage, crawl, settings.devices)
    if not missing_tasks:
        return crawl
    return storage.ledger.open_crawl(
        locators, (*tasks, *missing_tasks), run_queues, asked_by
    )


def find_active_crawl(
    locators: Collection[str], settings: Settings, storage: Storage
) -> str:
    """Return the newest crawl of exactly these locators that workers are at; empty without one."""
    for crawl in storage.ledger.crawls():
        if not crawl.left or set(crawl.locators) != set(locators):
            continue
        state = cluster_crawl_state(settings, storage, crawl.id)
        if state in ("active", OVER_QUOTA_CRAWL):
            return crawl.id
    return ""


def _check_devices(devices: Sequence[str]) -> None:
    """Raise `Misconfigured` for what names no device, or names a GPU without its arch."""
    check_device_names(devices)
    names_without_arch = [device for device in devices if device in ("rocm", "cuda")]
    if names_without_arch:
        raise Misconfigured(
            f"a cluster has a queue for each arch, and {', '.join(names_without_arch)} names none: "
            "give one such as --device rocm:gfx942",
            code="bad-device",
        )


def unserved_queues(settings: Settings, storage: Storage) -> tuple[str, ...]:
    """Return the queues that a crawl needs and no worker of this version serves, nor was
    promised to.
    """
    lanes = storage.worker_registry.served_lanes()
    return tuple(
        queue
        for queue in _list_needed_queues(settings.devices)
        if not _has_worker(queue, settings, lanes)
    )


def is_served(queue: str, settings: Settings, storage: Storage) -> bool:
    """Return whether a worker of this version serves a queue, or was promised to."""
    return _has_worker(queue, settings, storage.worker_registry.served_lanes())


def _has_worker(queue: str, settings: Settings, lanes: Collection[Lane]) -> bool:
    own_lane = Lane(queue, stage_revision(stage_of(queue)))
    is_promised = any(fnmatchcase(queue, pattern) for pattern in settings.autoscaled)
    return own_lane in lanes or is_promised


def cluster_crawl_state(settings: Settings, storage: Storage, crawl: str) -> str:
    """Return `active`, `paused`, `over-quota`, `cancelled`, `complete` or
    `complete_with_blocked`.

    In the last, unfinished tasks are left, and no worker serves their queues.
    """
    state = storage.ledger.crawl_state(crawl)
    if state == "cancelled":
        return state
    if not storage.ledger.count_unfinished(crawl):
        return "complete"

    # tasks of a paused crawl wait for its operator, whoever serves their queues
    if state == "active" and storage.worker_registry.is_crawl_blocked(
        crawl, settings.autoscaled
    ):
        return "complete_with_blocked"
    return state


def _list_needed_queues(devices: Sequence[str]) -> list[str]:
    queues = [
        queue_of(stage) for stage in Stage if stage not in _STAGES_NOT_ALWAYS_NEEDED
    ]
    # a bare `rocm` is any GPU of that runtime, and has no queue of its own
    places = [device for device in devices if device == "cpu" or ":" in device]
    return [*queues, *list_run_queues(places)]
