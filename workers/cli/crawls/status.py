"""Command `status`: show the progress and results of crawls."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.crawls.crawl_report import describe_unportable
from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import (
    NOTHING_CRAWLED,
    CrawlOption,
    JsonOption,
    context_settings,
    is_known_crawl,
)
from workers.cli.quota_report import read_quota_report
from workers.cli.run_statuses import spell_out_status
from workers.cli.terminal import (
    escape_line,
    format_table,
    print_json,
    print_line,
    print_note,
)

if TYPE_CHECKING:
    from rich.live import Live

    from storage.ledger.interface import Stage, State
    from storage.open import Storage
    from workers.config.settings import Settings
    from workers.status.crawl_status import CrawlStatus, StageProgress, StatusWatcher
    from workers.status.crawl_summary import Funnel


def status(
    context: typer.Context,
    crawl: CrawlOption = "",
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Look again and again, with rates, until nothing is left."
        ),
    ] = False,
    every: Annotated[
        float, typer.Option(min=0.1, help="Seconds between two looks of --watch.")
    ] = 2.0,
    as_json: JsonOption = False,
) -> int:
    """Print how far everything is.

    Tasks by stage, state and code; kernels by layer; units; what compiled, and what ran.

    With `--watch`: stages and states, tasks a minute and how long what is left would take,
    workers and what they serve,
    and queues that nobody serves; of a crawl until it has ended, else until you stop it.
    """
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        if not is_known_crawl(storage, crawl):
            return NOTHING

        if watch:
            from workers.status.crawl_status import StatusWatcher

            watcher = StatusWatcher(storage, settings, crawl)
            return _watch(watcher, every, as_json)
        _print_funnel(storage, settings, crawl, as_json)
        if not storage.ledger.crawls():
            print_note(NOTHING_CRAWLED)
    return DONE


def _print_funnel(
    storage: Storage, settings: Settings, crawl: str, as_json: bool
) -> None:
    from crawler.codec import to_builtins
    from workers.status.crawl_summary import count_funnel

    task_counts = storage.ledger.task_counts(crawl)
    funnel = count_funnel(storage, crawl)
    abandoned = storage.ledger.count_abandoned(crawl)
    quota_report = read_quota_report(storage, settings, crawl)
    if as_json:
        tasks = [
            {"stage": stage, "state": state, "code": code, "tasks": number}
            for stage, state, code, number in task_counts
        ]
        values = {"crawl": crawl, "tasks": tasks, "abandoned": abandoned}
        print_json({**values, **quota_report.to_values(), **to_builtins(funnel)})
        return

    rows = [*_iter_funnel_rows(task_counts, funnel), *quota_report.iter_rows()]
    for line in format_table(rows):
        print_line(line)
    if abandoned:
        print_line(_describe_abandoned(abandoned))


def _describe_abandoned(count: int) -> str:
    """Say what becomes of running tasks that no living process holds."""
    return (
        f"abandoned: {count} of the running tasks, whose process is gone: "
        "the same `kernelset crawl`, or a cluster's dispatcher, takes them over"
    )


def _watch(watcher: StatusWatcher, every: float, as_json: bool) -> int:
    with ExitStack() as stack:
        has_screen = sys.stdout.isatty() and not as_json
        screen = _open_screen(stack) if has_screen else None
        try:
            while True:
                crawl_status = watcher.read_status()
                _print_status(crawl_status, screen, as_json)
                if crawl_status.state not in ("", "active", "paused", "over-quota"):
                    return DONE
                time.sleep(every)
        except KeyboardInterrupt:
            # without a crawl's id the watch has no end of its own: Ctrl-C is the way out
            return DONE


def _open_screen(stack: ExitStack) -> Live:
    from rich.live import Live

    return stack.enter_context(Live(auto_refresh=False))


def _print_status(
    crawl_status: CrawlStatus, screen: Live | None, as_json: bool
) -> None:
    if as_json:
        print_json(_status_values(crawl_status))
    elif screen is not None:
        from rich.text import Text

        text = Text("\n".join(_iter_status_lines(crawl_status)))
        screen.update(text, refresh=True)
    else:
        print_line("\n".join(_iter_status_lines(crawl_status)) + "\n")

    # a reader of a pipe sees each look at once
    sys.stdout.flush()


def _iter_status_lines(crawl_status: CrawlStatus) -> Iterator[str]:
    from storage.ledger.leases.lease_owner import describe_owner
    from workers.status.crawl_status import status_rows

    if crawl_status.state:
        yield f"crawl: {crawl_status.state}"
    if crawl_status.hold_reason:
        yield f"held: {crawl_status.hold_reason}"
    yield from format_table(status_rows(crawl_status))

    for worker in crawl_status.workers:
        name = describe_owner(worker.id)
        queues = ", ".join(worker.queues)
        yield escape_line(f"worker {name} {worker.processes} processes: {queues}")

    for queue, number in crawl_status.blocked_queues.items():
        yield escape_line(f"blocked: no worker for {queue}: {number} tasks")

    if crawl_status.abandoned:
        yield _describe_abandoned(crawl_status.abandoned)


def _status_values(crawl_status: CrawlStatus) -> dict[str, object]:
    stages = {}
    for stage, progress in crawl_status.stages.items():
        stages[stage.value] = _progress_values(progress)

    workers = [
        {
            "id": worker.id,
            "processes": worker.processes,
            "queues": worker.queues,
            "seen_at": worker.seen_at,
        }
        for worker in crawl_status.workers
    ]
    return {
        "state": crawl_status.state,
        "held": crawl_status.hold_reason,
        "stages": stages,
        "all": _progress_values(crawl_status.total),
        "workers": workers,
        "blocked": dict(crawl_status.blocked_queues),
        "abandoned": crawl_status.abandoned,
    }


def _progress_values(progress: StageProgress) -> dict[str, object]:
    return {
        "states": dict(progress.states),
        "left": progress.tasks_left,
        "per_minute": progress.per_minute,
        "seconds_left": progress.seconds_left,
    }


def _iter_funnel_rows(
    task_counts: Iterable[tuple[Stage, State, str, int]], funnel: Funnel
) -> Iterator[tuple[str, str, str]]:
    for stage, state, code, number in task_counts:
        yield stage.value, f"{state.value} {code}".strip(), str(number)

    for layer, number in funnel.by_layer.items():
        yield "kernels", f"by {layer}", str(number)
    yield "units", "", str(funnel.units)
    if funnel.ported:
        yield "ported", "to HIP", describe_unportable(funnel)

    yield from _iter_place_rows(funnel)
    for code, number in funnel.reasons.items():
        yield "reasons", code, str(number)


def _iter_place_rows(funnel: Funnel) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each target or device, and what is said of units or instantiations there."""
    # a target that is compiled for and run on has both groups of rows
    groups = (
        ("", funnel.compiled),
        ("", funnel.ran),
        ("instantiations, ", funnel.instantiations),
        ("extents, ", funnel.extents),
        ("strength, ", funnel.strength),
    )
    for title, counts_per_place in groups:
        for place, counts in counts_per_place.items():
            for word, number in counts.items():
                yield f"{title}{place}", spell_out_status(word), str(number)
