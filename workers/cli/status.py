"""kernelset status: how far everything is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from workers.cli import DONE, NOTHING
from workers.cli.crawl import classified
from workers.cli.options import Crawl, Json, is_known, settings_of
from workers.cli.terminal import say, say_json, table

if TYPE_CHECKING:
    from storage.ledger import Stage, State
    from workers.summary import Funnel


def status(context: typer.Context, crawl: Crawl = "", as_json: Json = False) -> int:
    """Print the funnel: tasks by stage, state and code; kernels by layer; units; what compiled, and what ran."""
    from crawler.codec import plain
    from workers.summary import funnel
    from workers.wiring import storage_of

    with storage_of(settings_of(context)) as storage:
        if not is_known(storage, crawl):
            return NOTHING
        counts, came_to = storage.ledger.counts(crawl), funnel(storage, crawl)
    if as_json:
        tasks = [
            {"stage": stage, "state": state, "code": code, "tasks": number} for stage, state, code, number in counts
        ]
        say_json({"crawl": crawl, "tasks": tasks, **plain(came_to)})
    else:
        for line in table(_rows(counts, came_to)):
            say(line)
    return DONE


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
