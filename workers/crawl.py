"""A crawl from locators to its end on this machine."""

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
from crawler.sources.locator import source_for
from crawler.sources.terms import Wanted
from crawler.validate.build import DEFAULT_TARGETS, dialect_of, require
from crawler.validate.devices.trial import is_device
from crawler.validate.trial import DEVICE
from storage.ledger import Stage, State
from workers.events import TaskEnded
from workers.local import Crew
from workers.progress import Counts, Display
from workers.serve import served
from workers.settings import Settings
from workers.stages.device_batches import missing_batches
from workers.stages.payloads import ListPayload
from workers.stages.tasks import spec

if TYPE_CHECKING:
    from storage.open import Storage

_PINNED: Final = re.compile(r"==[^=]+$|@[0-9a-f]{40,64}$")
_SHOW_EVERY: Final = 0.5


@dataclass(slots=True)
class Session:
    """One run of `kernelset crawl`: what it did, as against what was done before."""

    crawl: str
    done: int = 0
    """Tasks that ended in this run; a locator without a version is listed each time, and does not count."""
    seconds: float = 0.0


def run(
    locators: Sequence[str],
    settings: Settings,
    storage: Storage,
    display: Display,
    *,
    limit: int = 0,
    wanted: Wanted | None = None,
) -> Session:
    """Record the crawl, work it to its end by worker processes, and return what this run did.

    Raises `Misconfigured` where a locator or a target is none, or the operator must act before it can go on; a missing
    compiler is found before anything is recorded.
    """
    asked = [asked_for(locator, settings, limit, wanted) for locator in locators]
    return again(asked, settings, storage, display)


def changeable(storage: Storage) -> tuple[ListPayload, ...]:
    """Return what earlier crawls named without a version, each way of asking once, as it would be asked now."""
    roots, now = (decode(payload, ListPayload) for payload in storage.ledger.roots(Stage.LIST)), _now()
    return tuple(dict.fromkeys(replace(each, asked=now) for each in roots if each.asked))


def again(asked: Sequence[ListPayload], settings: Settings, storage: Storage, display: Display) -> Session:
    """Work a crawl of what is `asked` to its end; raises as `run` does."""
    for each in asked:
        source_for(each.locator)
        check_targets(each.targets)
        require(each.targets)
    check_devices(settings.devices)
    locators = tuple(each.locator for each in asked)
    tasks = tuple(spec(Stage.LIST, each, each.locator) for each in asked)
    session = Session(storage.ledger.open_crawl(locators, tasks))
    _ask_again(storage, session.crawl)
    started, shown = time.monotonic(), 0.0

    def heard(event: TaskEnded) -> None:
        session.done += event.state != "again" and event.stage != Stage.LIST
        display.ended(event)
        if event.stage == Stage.LIST and event.state == State.DONE and event.subject in locators:
            _ask_again(storage, session.crawl)

    def ticked() -> None:
        nonlocal shown
        if time.monotonic() - shown > _SHOW_EVERY:
            shown = time.monotonic()
            display.counted(counts())

    def counts() -> Counts:
        return [each for each in storage.ledger.counts(session.crawl) if each[0] in served(settings)]

    def crew() -> Crew:
        return Crew(settings=settings, storage=storage, crawl=session.crawl, on_event=heard, on_tick=ticked)

    try:
        crew().run()
        # what had run on the CPU before devices were named
        missing = missing_batches(storage, session.crawl, settings.devices)
        if missing:
            session.crawl = storage.ledger.open_crawl(locators, (*tasks, *missing))
            crew().run()
        display.counted(counts())
    finally:
        session.seconds = time.monotonic() - started
    return session


def check_targets(targets: Sequence[str]) -> None:
    """Raise `Misconfigured` for what is no target's name."""
    unknown = [target for target in targets if dialect_of(target) is None]
    if unknown or not targets:
        raise Misconfigured(
            f"no target is called {', '.join(unknown) or 'nothing'}: give names such as {', '.join(DEFAULT_TARGETS)}",
            code="bad-target",
        )


def check_devices(devices: Sequence[str]) -> None:
    """Raise `Misconfigured` where kernels cannot be run on one of `devices` here."""
    unknown = [device for device in devices if device != DEVICE and not is_device(device)]
    if unknown:
        known = "give --device cpu, rocm, cuda, or one such as rocm:gfx942"
        raise Misconfigured(f"no device is called {', '.join(unknown)}: {known}", code="bad-device")
    tested = sandbox.self_test() if devices else None
    if tested and not tested.works:
        raise MissingTool(
            f"kernels run inside the sandbox only, and {tested.reason}; see `kernelset doctor`", code="no-sandbox"
        )


def asked_for(locator: str, settings: Settings, limit: int, wanted: Wanted | None = None) -> ListPayload:
    """Return what a locator asks for now."""
    # what a locator without a version names may change: it is asked anew each time
    asked = "" if _is_pinned(locator) else _now()
    return ListPayload(locator=locator, targets=settings.targets, limit=limit, wanted=wanted or Wanted(), asked=asked)


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _is_pinned(locator: str) -> bool:
    return _PINNED.search(locator) is not None and not Path(locator).exists()


def _ask_again(storage: Storage, crawl: str) -> None:
    """List and fetch once more what failed at that: the world outside may have changed since."""
    outside = (Stage.LIST, Stage.CLONE)
    codes = {
        each.code for each in storage.ledger.failures(crawl) if each.stage in outside and each.state is State.FAILED
    }
    for code in sorted(codes):
        storage.ledger.retry(crawl=crawl, code=code)
