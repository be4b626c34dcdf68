"""Run a crawl to its end on this machine."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler import sandbox
from crawler.codec import decode
from crawler.errors import Misconfigured, MissingTool
from crawler.sources.locator import find_source
from crawler.sources.options import RepositoryFilter
from crawler.validate.build import DEFAULT_TARGETS, require_targets, target_dialect
from crawler.validate.cpu.result import CPU_DEVICE
from crawler.validate.devices.device_validation import is_gpu_name
from storage.ledger.interface import Stage, State
from workers.config.settings import Settings
from workers.execution.events import TaskEnded
from workers.execution.task_worker import served_stages
from workers.local.pool import LocalPool
from workers.local.progress import ProgressDisplay, TaskCounts
from workers.tasks.device_batches import find_missing_device_batches
from workers.tasks.payloads import ListPayload
from workers.tasks.task_specs import make_task_spec

if TYPE_CHECKING:
    from storage.open import Storage

_PINNED: Final = re.compile(r"==[^=]+$|@[0-9a-f]{40,64}$")
_SHOW_EVERY: Final = 0.5


@dataclass(slots=True)
class CrawlSession:
    """One run of `kernelset crawl`: what it did, as against what was done before."""

    crawl: str
    tasks_done: int = 0
    """Tasks that ended in this run; a locator without a version is listed each time, and does
    not count.
    """
    seconds: float = 0.0


def run_crawl(
    locators: Sequence[str],
    settings: Settings,
    storage: Storage,
    display: ProgressDisplay,
    *,
    limit: int = 0,
    wanted: RepositoryFilter | None = None,
) -> CrawlSession:
    """Record the crawl, work it to its end by worker processes, and return what this run did.

    Raises `Misconfigured` where a locator or a target is none, or the operator must act before
    it can go on; a missing
    compiler is found before anything is recorded.
    """
    asked = [
        make_list_payload(locator, settings, limit, wanted) for locator in locators
    ]
    return run_requests(asked, settings, storage, display)


def list_unpinned_requests(storage: Storage) -> tuple[ListPayload, ...]:
    """Return what earlier crawls named without a version, each way of asking once, as it would
    be asked now.
    """
    roots, now = (
        (
            decode(payload, ListPayload)
            for payload in storage.ledger.root_payloads(Stage.LIST)
        ),
        _now(),
    )
    return tuple(
        dict.fromkeys(replace(each, asked=now) for each in roots if each.asked)
    )


def run_requests(
    requests: Sequence[ListPayload],
    settings: Settings,
    storage: Storage,
    display: ProgressDisplay,
) -> CrawlSession:
    """Work a crawl of what is `requests` to its end; raises as `run` does."""
    for each in requests:
        find_source(each.locator)
        check_targets(each.targets)
        require_targets(each.targets)
    check_devices(settings.devices)
    locators = tuple(each.locator for each in requests)
    tasks = tuple(make_task_spec(Stage.LIST, each, each.locator) for each in requests)
    session = CrawlSession(storage.ledger.open_crawl(locators, tasks))
    _ask_again(storage, session.crawl)
    started, shown = time.monotonic(), 0.0

    def heard(event: TaskEnded) -> None:
        session.tasks_done += event.state != "again" and event.stage != Stage.LIST
        display.show_ended_task(event)
        if (
            event.stage == Stage.LIST
            and event.state == State.DONE
            and event.subject in locators
        ):
            _ask_again(storage, session.crawl)

    def ticked() -> None:
        nonlocal shown
        if time.monotonic() - shown > _SHOW_EVERY:
            shown = time.monotonic()
            display.show_task_counts(counts())

    def counts() -> TaskCounts:
        return [
            each
            for each in storage.ledger.task_counts(session.crawl)
            if each[0] in served_stages(settings)
        ]

    def crew() -> LocalPool:
        return LocalPool(
            settings=settings,
            storage=storage,
            crawl=session.crawl,
            on_event=heard,
            on_tick=ticked,
        )

    try:
        crew().run()
        # what had run on the CPU before devices were named
        missing = find_missing_device_batches(storage, session.crawl, settings.devices)
        if missing:
            session.crawl = storage.ledger.open_crawl(locators, (*tasks, *missing))
            crew().run()
        display.show_task_counts(counts())
    finally:
        session.seconds = time.monotonic() - started
    return session


def check_targets(targets: Sequence[str]) -> None:
    """Raise `Misconfigured` for what is no target's name."""
    unknown = [target for target in targets if target_dialect(target) is None]
    if unknown or not targets:
        raise Misconfigured(
            f"no target is called {', '.join(unknown) or 'nothing'}: give names such as {', '.join(DEFAULT_TARGETS)}",
            code="bad-target",
        )


def check_devices(devices: Sequence[str]) -> None:
    """Raise `Misconfigured` where kernels cannot be run on one of `devices` here."""
    unknown = [
        device for device in devices if device != CPU_DEVICE and not is_gpu_name(device)
    ]
    if unknown:
        known = "give --device cpu, rocm, cuda, or one such as rocm:gfx942"
        raise Misconfigured(
            f"no device is called {', '.join(unknown)}: {known}", code="bad-device"
        )
    tested = sandbox.run_self_test() if devices else None
    if tested and not tested.works:
        raise MissingTool(
            f"kernels run inside the sandbox only, and {tested.reason}; see `kernelset doctor`",
            code="no-sandbox",
        )


def make_list_payload(
    locator: str, settings: Settings, limit: int, wanted: RepositoryFilter | None = None
) -> ListPayload:
    """Return what a locator asks for now."""
    # what a locator without a version names may change: it is asked anew each time
    asked = "" if _is_pinned(locator) else _now()
    return ListPayload(
        locator=locator,
        targets=settings.targets,
        limit=limit,
        wanted=wanted or RepositoryFilter(),
        asked=asked,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _is_pinned(locator: str) -> bool:
    return _PINNED.search(locator) is not None and not Path(locator).exists()


def _ask_again(storage: Storage, crawl: str) -> None:
    """List and fetch once more what failed at that: the world outside may have changed since."""
    outside = (Stage.LIST, Stage.CLONE)
    codes = {
        each.code
        for each in storage.ledger.failures(crawl)
        if each.stage in outside and each.state is State.FAILED
    }
    for code in sorted(codes):
        storage.ledger.retry(crawl=crawl, code=code)
