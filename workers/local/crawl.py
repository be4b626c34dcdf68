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
from storage.ledger.crawls.crawl_membership import OVER_QUOTA_CRAWL
from storage.ledger.interface import Stage, State
from workers.config.requester import choose_requester
from workers.config.settings import Settings
from workers.execution.events import TaskEnded
from workers.execution.task_worker import served_stages
from workers.local.pool import LocalPool
from workers.local.progress import ProgressDisplay
from workers.tasks.device_batches import find_missing_device_batches
from workers.tasks.payloads import ListPayload
from workers.tasks.task_specs import make_task_spec

if TYPE_CHECKING:
    from storage.open import Storage

_PINNED: Final = re.compile(r"==[^=]+$|@[0-9a-f]{40,64}$")
"""A locator with an exact version (`pypi:mmcv==2.2.0`) or with a commit's digest."""
_DISPLAY_SECONDS: Final = 0.5


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
    repository_filter: RepositoryFilter | None = None,
) -> CrawlSession:
    """Record the crawl, work it to its end by worker processes, and return what this run did.

    Raises `Misconfigured` where a locator or a target is none, or the operator must act before
    it can go on; a missing compiler is found before anything is recorded.
    """
    requests: list[ListPayload] = []
    for locator in locators:
        requests.append(make_list_payload(locator, settings, limit, repository_filter))

    return run_requests(requests, settings, storage, display)


def list_unpinned_requests(storage: Storage) -> tuple[ListPayload, ...]:
    """Return what earlier crawls named without a version, as it would be asked now.

    Each way of asking is there once.
    """
    now = _now()
    requests: dict[ListPayload, None] = {}
    for payload in storage.ledger.root_payloads(Stage.LIST):
        request = decode(payload, ListPayload)
        # only requests without a version carry the time at which they were made
        if request.asked:
            requests[replace(request, asked=now)] = None

    return tuple(requests)


def run_requests(
    requests: Sequence[ListPayload],
    settings: Settings,
    storage: Storage,
    display: ProgressDisplay,
    *,
    verb: str = "crawl",
) -> CrawlSession:
    """Work a crawl of `requests` to its end, asked for by `verb`; raises as `run_crawl` does."""
    _check_requests(requests, settings)
    locators = tuple(request.locator for request in requests)
    tasks = tuple(
        make_task_spec(Stage.LIST, request, request.locator) for request in requests
    )
    asked_by = choose_requester(settings)
    crawl = storage.ledger.open_crawl(locators, tasks, asked_by=asked_by)
    storage.requests.record(verb, asked_by, subject=" ".join(locators), crawl=crawl)
    session = CrawlSession(crawl)
    _retry_failed_downloads(storage, session.crawl)

    run = _SessionRun(
        session=session,
        settings=settings,
        storage=storage,
        display=display,
        locators=locators,
    )
    started_at = time.monotonic()
    try:
        run.work()

        # what had run on the CPU before devices were named
        missing_tasks = find_missing_device_batches(
            storage, session.crawl, settings.devices
        )
        if missing_tasks:
            session.crawl = storage.ledger.open_crawl(
                locators, (*tasks, *missing_tasks), asked_by=asked_by
            )
            run.work()

        run.show_task_counts()
    finally:
        session.seconds = time.monotonic() - started_at
    return session


@dataclass(slots=True)
class _SessionRun:
    """Worker processes of a session, and the display that follows what they do."""

    session: CrawlSession
    settings: Settings
    storage: Storage
    display: ProgressDisplay
    locators: tuple[str, ...]
    _shown_at: float = 0.0

    def work(self) -> None:
        pool = LocalPool(
            settings=self.settings,
            storage=self.storage,
            crawl=self.session.crawl,
            on_event=self._handle_ended_task,
            on_tick=self._refresh_display,
        )
        pool.run()
        reason = self.storage.quotas.hold_reason(self.session.crawl)
        if reason:
            raise Misconfigured(
                f"crawl {self.session.crawl} is held, since {reason}: raise `crawl_quota` or "
                "`owner_quota`, and the same command goes on",
                code=OVER_QUOTA_CRAWL,
            )

    def show_task_counts(self) -> None:
        stages = served_stages(self.settings)
        counts = self.storage.ledger.task_counts(self.session.crawl)
        # other workers may serve stages of the same crawl: their tasks would never end here
        served_counts = [count for count in counts if count[0] in stages]
        self.display.show_task_counts(served_counts)

    def _handle_ended_task(self, event: TaskEnded) -> None:
        if event.state != "again" and event.stage != Stage.LIST:
            self.session.tasks_done += 1
        self.display.show_ended_task(event)

        is_listed_anew = (
            event.stage == Stage.LIST
            and event.state == State.DONE
            and event.subject in self.locators
        )
        # listing may have led to tasks that failed in an earlier crawl
        if is_listed_anew:
            _retry_failed_downloads(self.storage, self.session.crawl)

    def _refresh_display(self) -> None:
        # the pool ticks some times a second, and counting asks the database
        if time.monotonic() - self._shown_at > _DISPLAY_SECONDS:
            self._shown_at = time.monotonic()
            self.show_task_counts()


def _check_requests(requests: Sequence[ListPayload], settings: Settings) -> None:
    for request in requests:
        find_source(request.locator)
        check_targets(request.targets)
        require_targets(request.targets)
    sandbox.require_parsing()
    check_devices(settings.devices)


def check_targets(targets: Sequence[str]) -> None:
    """Raise `Misconfigured` for what is no target's name."""
    unknown = [target for target in targets if target_dialect(target) is None]
    if unknown or not targets:
        names = ", ".join(unknown) or "nothing"
        examples = ", ".join(DEFAULT_TARGETS)
        raise Misconfigured(
            f"no target is called {names}: give names such as {examples}",
            code="bad-target",
        )


def check_devices(devices: Sequence[str]) -> None:
    """Raise `Misconfigured` or `MissingTool` where kernels cannot be run on `devices` here."""
    check_device_names(devices)

    # without a device nothing is run, and a crawl needs no sandbox for that
    if not devices:
        return
    self_test = sandbox.run_self_test()
    if not self_test.works:
        raise MissingTool(
            f"kernels run inside the sandbox only, and {self_test.reason}; "
            "see `kernelset doctor`",
            code="no-sandbox",
        )


def check_device_names(devices: Sequence[str]) -> None:
    """Raise `Misconfigured` for what is no device's name."""
    unknown: list[str] = []
    for device in devices:
        if device != CPU_DEVICE and not is_gpu_name(device):
            unknown.append(device)
    if unknown:
        raise Misconfigured(
            f"no device is called {', '.join(unknown)}: "
            "give --device cpu, rocm, cuda, or one such as rocm:gfx942",
            code="bad-device",
        )


def make_list_payload(
    locator: str,
    settings: Settings,
    limit: int,
    repository_filter: RepositoryFilter | None = None,
) -> ListPayload:
    """Return what a locator asks for now."""
    # what a locator without a version names may change: it is asked anew each time
    asked_at = "" if _is_pinned(locator) else _now()
    return ListPayload(
        locator=locator,
        targets=settings.targets,
        limit=limit,
        wanted=repository_filter or RepositoryFilter(),
        asked=asked_at,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _is_pinned(locator: str) -> bool:
    # a folder is never pinned, whatever it is called: its files may change
    return _PINNED.search(locator) is not None and not Path(locator).exists()


def _retry_failed_downloads(storage: Storage, crawl: str) -> None:
    """List and fetch once more what failed at that: the world outside may have changed since."""
    codes: set[str] = set()
    for failure in storage.ledger.failures(crawl):
        is_download = failure.stage in (Stage.LIST, Stage.CLONE)
        if is_download and failure.state is State.FAILED:
            codes.add(failure.code)

    for code in sorted(codes):
        storage.ledger.retry(crawl=crawl, code=code)
