"""Command `enqueue`: hand a crawl to the cluster."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workers.cli.crawls.crawl import require_locators
from workers.cli.crawls.crawl_options import (
    CrawlDeviceOption,
    CrawlTargetsOption,
    DryRunOption,
    ForksOption,
    LanguagesOption,
    LicencesOption,
    LocatorFileOption,
    LocatorsArgument,
    MaxKilobytesOption,
    MinStarsOption,
    NoArchivedOption,
    NoTemplatesOption,
    PushedSinceOption,
    RepositoryLimitOption,
    TopicsOption,
    make_repository_filter,
)
from workers.cli.crawls.dry_run import print_repositories
from workers.cli.exit_codes import DONE, FAILED
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from storage.open import Storage
    from workers.config.settings import Settings
    from workers.status.crawl_status import CrawlStatus, StatusWatcher

_STATUS_SECONDS: Final = 1.0
_BLOCKED: Final = "complete_with_blocked"
_WORKER_START_SECONDS: Final = 15.0
"""How long a crawl waits for the first worker of what is left."""
_LOG_SECONDS: Final = 10.0


def enqueue(
    context: typer.Context,
    locators: LocatorsArgument = None,
    listed: LocatorFileOption = None,
    limit: RepositoryLimitOption = 0,
    dry_run: DryRunOption = False,
    targets: CrawlTargetsOption = None,
    device: CrawlDeviceOption = None,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait", help="Stay until nothing is left that anybody could do."
        ),
    ] = False,
    forks: ForksOption = False,
    no_archived: NoArchivedOption = False,
    no_templates: NoTemplatesOption = False,
    languages: LanguagesOption = "",
    licences: LicencesOption = "",
    topics: TopicsOption = "",
    min_stars: MinStarsOption = 0,
    max_kilobytes: MaxKilobytesOption = 0,
    pushed_since: PushedSinceOption = "",
    as_json: JsonOption = False,
) -> int:
    """Record a crawl for the cluster's workers.

    Warns at once where nobody serves a queue that it needs. Its kernels are run on the devices
    that it names, by whichever workers have them, and on none where it names none.
    """
    from workers.cluster import crawl_control
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context, targets=targets, devices=device)
    all_locators = require_locators(locators, listed)
    repository_filter = make_repository_filter(context.params)
    if dry_run:
        return print_repositories(
            all_locators, settings, repository_filter, limit, as_json
        )

    crawl_control.require_broker(settings)
    with open_configured_storage(settings) as storage:
        crawl = crawl_control.enqueue_crawl(
            all_locators,
            settings,
            storage,
            limit=limit,
            repository_filter=repository_filter,
        )
        return report_enqueued(storage, settings, crawl, wait=wait, as_json=as_json)


def report_enqueued(
    storage: Storage, settings: Settings, crawl: str, *, wait: bool, as_json: bool
) -> int:
    """Say what becomes of a crawl, at its end with `wait`, and return the exit code."""
    from workers.cluster import crawl_control
    from workers.status.crawl_status import StatusWatcher

    unserved_queues = crawl_control.unserved_queues(settings, storage)
    _warn_of_unserved(unserved_queues)

    has_failed = False
    state = crawl_control.cluster_crawl_state(settings, storage, crawl)
    if wait:
        watcher = StatusWatcher(storage, settings, crawl, expects_workers=True)
        state = _wait_for_end(watcher)
        has_failed = state == "over-quota" or _has_failed_task(storage, crawl)

    if as_json:
        print_json({"crawl": crawl, "state": state, "unserved": unserved_queues})
    else:
        print_line(f"crawl {crawl}: {state}")
    return FAILED if has_failed else DONE


def _warn_of_unserved(queues: Sequence[str]) -> None:
    for queue in queues:
        print_note(
            escape_line(
                f"no worker for {queue}: its tasks are blocked until "
                "`kernelset worker` serves it"
            )
        )


def _has_failed_task(storage: Storage, crawl: str) -> bool:
    # rejected tasks are listed among the failures, and are none
    failures = storage.ledger.failures(crawl)
    return any(failure.state == "failed" for failure in failures)


def _wait_for_end(watcher: StatusWatcher) -> str:
    """Show the progress of a crawl until it has ended, and return its last state."""
    from workers.local.progress import open_display

    last_log_time = 0.0
    last_tasks_left = -1
    blocked_since = 0.0
    with open_display() as display:
        while True:
            status = watcher.read_status()
            display.show_task_counts(watcher.storage.ledger.task_counts(watcher.crawl))
            now = time.monotonic()
            is_blocked = status.state == _BLOCKED
            blocked_since = (blocked_since or now) if is_blocked else 0.0
            # a worker that was started with it may not be there yet
            is_starting = is_blocked and now - blocked_since < _WORKER_START_SECONDS
            if status.state not in ("active", "paused") and not is_starting:
                return status.state

            # a terminal has the display; a log file needs a line now and then
            has_changed = status.total.tasks_left != last_tasks_left
            is_due = now - last_log_time >= _LOG_SECONDS
            if has_changed and is_due and not sys.stderr.isatty():
                last_log_time = now
                last_tasks_left = status.total.tasks_left
                _log_progress(status)
            time.sleep(_STATUS_SECONDS)


def _log_progress(status: CrawlStatus) -> None:
    from workers.execution.logs import get_logger

    get_logger().info(
        "crawl-goes-on",
        left=status.total.tasks_left,
        per_minute=status.total.per_minute,
        blocked=status.blocked_queues,
    )
