"""kernelset status: how far everything is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workers.cli import DONE, NOTHING
from workers.cli.crawl import classified
from workers.cli.options import Crawl, Json, is_known, settings_of
from workers.cli.terminal import safe, say, say_json, table

if TYPE_CHECKING:
    from storage.ledger import Stage, State
    from storage.open import Storage
    from workers.outlook import Look, Outlook
    from workers.summary import Funnel


def status(
    context: typer.Context,
    crawl: Crawl = "",
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again and again, with rates, until nothing is left.")
    ] = False,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks of --watch.")] = 2.0,
    as_json: Json = False,
) -> int:
    """Print the funnel: tasks by stage, state and code; kernels by layer; units; what compiled, and what ran.

    With `--watch`: stages and states, tasks a minute and how long what is left would take, workers and what they serve,
    and queues that nobody serves; of a crawl until it has ended, else until you stop it.
    """
    from workers.outlook import Outlook
    from workers.wiring import storage_of

    settings = settings_of(context)
    with storage_of(settings) as storage:
        if not is_known(storage, crawl):
            return NOTHING
        if watch:
            return _watch(Outlook(storage, settings, crawl), every, as_json)
        _print(storage, crawl, as_json)
    return DONE


def _print(storage: Storage, crawl: str, as_json: bool) -> None:
    from crawler.codec import plain
    from workers.summary import funnel

    counts, came_to = storage.ledger.counts(crawl), funnel(storage, crawl)
    if as_json:
        tasks = [
            {"stage": stage, "state": state, "code": code, "tasks": number} for stage, state, code, number in counts
        ]
        say_json({"crawl": crawl, "tasks": tasks, **plain(came_to)})
        return
    for line in table(_rows(counts, came_to)):
        say(line)


def _watch(outlook: Outlook, every: float, as_json: bool) -> int:
    with ExitStack() as shown:
        screen = _screen(shown) if sys.stdout.isatty() and not as_json else None
        try:
            while True:
                look = outlook.look()
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


def _show(look: Look, screen: Any, as_json: bool) -> None:
    if as_json:
        say_json(_plain(look))
    elif screen is not None:
        from rich.text import Text

        screen.update(Text("\n".join(_lines(look))), refresh=True)
    else:
        say("\n".join(_lines(look)) + "\n")
    sys.stdout.flush()


def _lines(look: Look) -> Iterator[str]:
    from workers.outlook import lines

    if look.state:
        yield f"crawl: {look.state}"
    yield from table(lines(look))
    for worker in look.workers:
        yield safe(f"worker {worker.id.partition(':')[0]} {worker.processes} processes: {', '.join(worker.queues)}")
    for queue, number in look.blocked.items():
        yield safe(f"blocked: no worker for {queue}: {number} tasks")


def _plain(look: Look) -> dict[str, object]:
    def told(progress: Any) -> dict[str, object]:
        rates = {"per_minute": progress.per_minute, "seconds_left": progress.seconds_left}
        return {"states": dict(progress.states), "left": progress.left, **rates}

    return {
        "state": look.state,
        "stages": {stage.value: told(progress) for stage, progress in look.stages.items()},
        "all": told(look.whole),
        "workers": [
            {"id": each.id, "processes": each.processes, "queues": each.queues, "seen_at": each.seen_at}
            for each in look.workers
        ],
        "blocked": dict(look.blocked),
    }


def _rows(counts: tuple[tuple[Stage, State, str, int], ...], came_to: Funnel) -> Iterator[tuple[str, str, str]]:
    for stage, state, code, number in counts:
        yield stage.value, f"{state.value} {code}".strip(), str(number)
    for layer, number in came_to.by_layer.items():
        yield "kernels", f"by {layer}", str(number)
    yield "units", "", str(came_to.units)
    if came_to.ported:
        yield "ported", "to HIP", classified(came_to)
    for place, statuses in (*came_to.compiled.items(), *came_to.ran.items()):
        for name, number in statuses.items():
            yield place, name, str(number)
    for code, number in came_to.reasons.items():
        yield "reasons", code, str(number)
