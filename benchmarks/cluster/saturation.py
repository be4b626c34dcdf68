"""Simulate how many workers one ledger keeps busy, from recorded task times.

python -m benchmarks saturation --home HOME [--workers 200] [--cores 2] [--repositories 300]
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import psutil

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.cluster.crawl_simulation import STAGE_ORDER, Costs, simulate_crawl

ROOT = Path(__file__).resolve().parents[2]
ALONE = False
SAMPLE = 400


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse_arguments(words)
    times, batches = _load_recorded_times(arguments.home)
    costs = measure_costs()
    rows = []
    for shorter in (1, 3, 10, 30, 100):
        play = simulate_crawl(times, batches, costs, arguments, shorter)
        share = [
            play.worked / arguments.workers,
            play.ledger / arguments.cores,
            play.dispatch,
        ]
        busy = (f"{100 * busy_seconds / play.seconds:.0f} %" for busy_seconds in share)
        rows.append((f"1/{shorter}", f"{play.tasks / play.seconds:.0f}", *busy))
    mean = sum(map(sum, times.values())) / sum(map(len, times.values()))
    shown_words = [
        word
        for word in words
        if word not in ("--results", "--home", str(arguments.home))
        and word[-3:] != ".md"
    ]
    most = min(arguments.cores / costs.ledger, 1 / costs.dispatch)
    report.write_report(
        arguments.results,
        "Saturation",
        ["python", "-m", "benchmarks", "saturation", "--home", "HOME", *shown_words],
        [
            f"Played: {arguments.workers} workers, {arguments.repositories} repositories "
            "with the tasks, batches and "
            f"times that a crawl recorded ({mean:.1f} s a task on average); and those "
            "times a part as long. Measured "
            f"on Postgres and Valkey: a task costs the database {1000 * costs.ledger:.2f} "
            "ms of a processor and the "
            f"dispatcher {1000 * costs.dispatch:.2f} ms, a round {1000 * costs.round:.0f} "
            "ms. The database has "
            f"{arguments.cores} cores.",
            "",
            *report.format_table(
                (
                    "times",
                    "tasks a second",
                    "workers busy",
                    "database busy",
                    "dispatcher busy",
                ),
                rows,
            ),
            "",
            (
                f"At most {most:.0f} tasks a second: with tasks of {mean:.1f} s, "
                f"{most * mean:,.0f} workers."
            ),
        ],
    )
    return 0


def _load_recorded_times(home: Path) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Return the times of tasks by stage, and how many of each a repository has."""
    statement = (
        "SELECT stage, ended_at - leased_at FROM task WHERE state = 'done' AND "
        "leased_at > 0"
    )
    times: dict[str, list[float]] = defaultdict(list)
    with closing(
        sqlite3.connect(f"file:{home / 'kernelset.db'}?mode=ro", uri=True)
    ) as connection:
        for stage, seconds in connection.execute(statement):
            if stage in STAGE_ORDER:
                times[stage].append(seconds)
    assert set(times) == set(STAGE_ORDER), f"{home} holds no whole crawl"
    return times, {
        stage: max(1, round(len(stage_times) / len(times["clone"])))
        for stage, stage_times in times.items()
    }


def measure_costs() -> Costs:
    """Return what a task and a round cost, measured on servers of our own."""
    from storage.ledger.dispatch.dispatch_selection import DispatchLimits
    from storage.ledger.interface import Outcome, Stage, TaskSpec
    from storage.open import open_storage, upgrade_postgres
    from tests.servers import postgres, valkey
    from workers.cluster.celery_app import make_celery_app
    from workers.cluster.dispatcher import Dispatcher
    from workers.config.setting_sources import load_settings

    with (
        tempfile.TemporaryDirectory() as folder,
        postgres.serving() as server,
        valkey.serving() as broker,
    ):
        server.run("CREATE DATABASE measured")
        upgrade_postgres(server.url("measured"))
        settings = load_settings(
            home=folder,
            database=server.url("measured"),
            broker=broker.url,
            window=SAMPLE,
        )
        with (
            open_storage(Path(folder), database=server.url("measured")) as storage,
            closing(
                Dispatcher(settings, storage, make_celery_app(settings))
            ) as dispatcher,
        ):
            specs = [
                TaskSpec(
                    stage=Stage.CLONE,
                    key=str(n),
                    version="1",
                    queue="clone",
                    payload="{}",
                    subject="s",
                )
                for n in range(2 * SAMPLE)
            ]
            storage.ledger.open_crawl(("x",), tuple(specs))
            storage.worker_registry.record_heartbeat("me", ("clone",), 1)
            dispatcher.run_round()
            idle = min(_measure_seconds(dispatcher.run_round) for _ in range(10))
            messages = storage.dispatch_window.take_due_messages(
                dict.fromkeys(storage.worker_registry.served_lanes(), -1.0),
                DispatchLimits(messages_per_lane=SAMPLE),
            )
            before = _database_seconds()
            for message in messages[:SAMPLE]:
                claim = storage.ledger.claim_dispatched(
                    "me", message.task, message.generation, 600
                )
                assert claim
                storage.ledger.finish(claim, Outcome())
            ledger = (_database_seconds() - before) / SAMPLE
            sent = _measure_seconds(dispatcher.run_round)
            return Costs(
                ledger=ledger, dispatch=max(0.0, sent - idle) / SAMPLE, round=idle
            )


def _measure_seconds(act: object) -> float:
    before = time.process_time() + _database_seconds()
    act()  # type: ignore[operator]
    return time.process_time() + _database_seconds() - before


def _database_seconds() -> float:
    """Return the processor time of the server's processes that live now."""
    below = [
        child
        for child in psutil.Process().children(recursive=True)
        if child.name() == "postgres"
    ]
    return sum(child.cpu_times().user + child.cpu_times().system for child in below)


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = create_parser("saturation", __doc__)
    parser.add_argument(
        "--home",
        type=Path,
        required=True,
        help="of a crawl on one machine, whose times are taken",
    )
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--cores", type=int, default=2, help="of the database")
    parser.add_argument("--repositories", type=int, default=300)
    add_results(parser, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
