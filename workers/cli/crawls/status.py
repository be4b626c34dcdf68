"""Command `status`: show the progress and results of crawls."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workers.cli import DONE, NOTHING
from workers.cli.crawls.crawl import describe_unportable
from workers.cli.options import (
    CrawlOption,
    JsonOption,
    context_settings,
    is_known_crawl,
)
from workers.cli.terminal import escape_line, format_table, print_json, print_line

if TYPE_CHECKING:
    from storage.ledger.interface import Stage, State
    from storage.open import Storage
    from workers.status.crawl_status import CrawlStatus, StatusWatcher
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
    """Print the funnel: tasks by stage, state and code; kernels by layer; units; what compiled,
    and what ran.

    With `--watch`: stages and states, tasks a minute and how long what is left would take,
    workers and what they serve,
    and queues that nobody serves; of a crawl until it has ended, else until you stop it.
    """
    from workers.config.configured_storage import open_configured_storage
    from workers.status.crawl_status import StatusWatcher

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        if not is_known_crawl(storage, crawl):
            return NOTHING
        if watch:
            return _watch(StatusWatcher(storage, settings, crawl), every, as_json)
        _print(storage, crawl, as_json)
    return DONE


def _print(storage: Storage, crawl: str, as_json: bool) -> None:
    from crawler.codec import to_builtins
    from workers.status.crawl_summary import count_funnel

    counts, came_to = storage.ledger.task_counts(crawl), count_funnel(storage, crawl)
    if as_json:
        tasks = [
            {"stage": stage, "state": state, "code": code, "tasks": number}
            for stage, state, code, number in counts
        ]
        print_json({"crawl": crawl, "tasks": tasks, **to_builtins(came_to)})
        return
    for line in format_table(_rows(counts, came_to)):
        print_line(line)


def _watch(outlook: StatusWatcher, every: float, as_json: bool) -> int:
    with ExitStack() as shown:
        screen = _screen(shown) if sys.stdout.isatty() and not as_json else None
        try:
            while True:
                look = outlook.read_status()
                _show(look, screen, as_json)
                if look.state not in ("", "active", "paused"):
                    return DONE
                time.sleep(every)
        except KeyboardInterrupt:
            # how one ends it that looks at all crawls
            return DONE


def _screen(shown: ExitStack) -> Any:
    from rich.live import Live

    return shown.enter_context(Live(auto_refresh=False))


def _show(look: CrawlStatus, screen: Any, as_json: bool) -> None:
    if as_json:
        print_json(_plain(look))
    elif screen is not None:
        from rich.text import Text

        screen.update(Text("\n".join(_lines(look))), refresh=True)
    else:
        print_line("\n".join(_lines(look)) + "\n")
    sys.stdout.flush()


def _lines(look: CrawlStatus) -> Iterator[str]:
    from workers.status.crawl_status import status_rows

    if look.state:
        yield f"crawl: {look.state}"
    yield from format_table(status_rows(look))
    for worker in look.workers:
        yield escape_line(
            f"worker {worker.id.partition(':')[0]} {worker.processes} processes: {', '.join(worker.queues)}"
        )
    for queue, number in look.blocked_queues.items():
        yield escape_line(f"blocked: no worker for {queue}: {number} tasks")


def _plain(look: CrawlStatus) -> dict[str, object]:
    def told(progress: Any) -> dict[str, object]:
        rates = {
            "per_minute": progress.per_minute,
            "seconds_left": progress.seconds_left,
        }
        return {"states": dict(progress.states), "left": progress.tasks_left, **rates}

    return {
        "state": look.state,
        "stages": {
            stage.value: told(progress) for stage, progress in look.stages.items()
        },
        "all": told(look.total),
        "workers": [
            {
                "id": each.id,
                "processes": each.processes,
                "queues": each.queues,
                "seen_at": each.seen_at,
            }
            for each in look.workers
        ],
        "blocked": dict(look.blocked_queues),
    }


def _rows(
    counts: tuple[tuple[Stage, State, str, int], ...], came_to: Funnel
) -> Iterator[tuple[str, str, str]]:
    for stage, state, code, number in counts:
        yield stage.value, f"{state.value} {code}".strip(), str(number)
    for layer, number in came_to.by_layer.items():
        yield "kernels", f"by {layer}", str(number)
    yield "units", "", str(came_to.units)
    if came_to.ported:
        yield "ported", "to HIP", describe_unportable(came_to)
    for place, statuses in (*came_to.compiled.items(), *came_to.ran.items()):
        for name, number in statuses.items():
            yield place, name, str(number)
    for code, number in came_to.reasons.items():
        yield "reasons", code, str(number)
