"""Measure empty tasks a second through the ledger and through bare Celery on the same servers.

python -m benchmarks dispatch [--tasks 3000] [--processes 2] [--rounds 3]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.cluster.task_ticks import measure_rate, run_in_child, write_tick

if TYPE_CHECKING:
    from celery import Celery

    from storage.ledger.interface import Outcome, TaskSpec
    from workers.config.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
ALONE = False
BARE_TASK = "bare"
PLAIN_CELERY, CONFIGURED_CELERY, WITH_LEDGER = (
    "Celery as it comes",
    "Celery with our configuration",
    "with the ledger",
)
QUEUE = "clone"


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse_arguments(words)
    from storage.open import upgrade_postgres
    from tests.servers import postgres, valkey

    trials = {
        PLAIN_CELERY: _measure_plain_celery,
        CONFIGURED_CELERY: _measure_configured_celery,
        WITH_LEDGER: _measure_ledger,
    }
    rates: dict[str, list[float]] = {name: [] for name in trials}
    with (
        tempfile.TemporaryDirectory() as folder,
        postgres.serving() as server,
        valkey.serving() as broker,
    ):
        for number in range(arguments.rounds):
            server.run(f"CREATE DATABASE round_{number}")
            upgrade_postgres(server.url(f"round_{number}"))
            settings = _load_settings(
                Path(folder), server.url(f"round_{number}"), broker.url
            )
            for name, trial in trials.items():
                rates[name].append(
                    trial(settings, arguments.tasks, arguments.processes)
                )
                broker.ask("FLUSHALL")
                print(name, f"{rates[name][-1]:.0f}/s", file=sys.stderr)
    shown_words = report.omit_results(words)
    report.write_report(
        arguments.results,
        "Dispatch",
        ["python", "-m", "benchmarks", "dispatch", *shown_words],
        _format_lines(arguments, rates),
    )
    return 0


def _load_settings(folder: Path, database: str, broker: str) -> Settings:
    from workers.config.setting_sources import load_settings

    return load_settings(home=str(folder / "home"), database=database, broker=broker)


def _format_lines(
    arguments: argparse.Namespace, rates: dict[str, list[float]]
) -> list[str]:
    plain, ours, led = (
        statistics.median(round_rates) for round_rates in rates.values()
    )
    rows = [
        (
            name,
            f"{statistics.median(round_rates):.0f}",
            ", ".join(f"{rate:.0f}" for rate in round_rates),
        )
        for name, round_rates in rates.items()
    ]
    return [
        f"{arguments.tasks} tasks that do nothing, one worker of {arguments.processes} "
        "processes; Valkey, Postgres "
        "(with `fsync` off) and the sender run on the same cores. Bare tasks are sent "
        "while they are done, by Celery's "
        "own defaults or by our configuration, which fetches no message before a process "
        "is free. With the ledger: "
        "they lie there, the dispatcher sends them, a worker claims and finishes each.",
        "",
        *report.format_table(("tasks a second", "median", "each round"), rows),
        "",
        (
            f"The ledger: {100 * led / plain:.0f} % of Celery as it comes, "
            f"{100 * led / ours:.0f} % of it as we set it."
        ),
    ]


def _measure_plain_celery(settings: Settings, tasks: int, processes: int) -> float:
    from celery import Celery

    assert settings.broker
    return _measure_celery_app(
        Celery(BARE_TASK, broker=settings.broker.get_secret_value()),
        settings,
        tasks,
        processes,
    )


def _measure_configured_celery(settings: Settings, tasks: int, processes: int) -> float:
    from workers.cluster.celery_app import make_celery_app

    return _measure_celery_app(make_celery_app(settings), settings, tasks, processes)


def _measure_celery_app(
    app: Celery, settings: Settings, tasks: int, processes: int
) -> float:
    """Return how many tasks a second Celery does by itself."""
    done = settings.home.with_name("done")

    def bare(task: object, generation: object) -> None:
        write_tick(done)

    # a decorator without types would make the function untyped
    app.task(name=BARE_TASK, ignore_result=True)(bare)
    with run_in_child(lambda: _serve_app(app, processes)):
        return measure_rate(
            done,
            tasks,
            first=lambda: _send_tasks(app, range(1)),
            all_of_them=lambda: _send_tasks(app, range(tasks)),
        )


def _serve_app(app: Celery, processes: int) -> None:
    quiet = {"without_gossip": True, "without_mingle": True, "quiet": True}
    app.Worker(
        queues=[QUEUE], concurrency=processes, pool="prefork", loglevel="ERROR", **quiet
    ).start()


def _send_tasks(app: Celery, tasks: range) -> None:
    with (
        app.connection_for_write() as connection,
        app.amqp.Producer(connection) as producer,
    ):
        for task in tasks:
            app.send_task(
                BARE_TASK,
                args=(task, 1),
                queue=QUEUE,
                producer=producer,
                ignore_result=True,
                retry=False,
            )


def _measure_ledger(settings: Settings, tasks: int, processes: int) -> float:
    """Return how many tasks a second go through dispatcher and ledger."""
    from workers.cluster.celery_worker import run_celery_worker
    from workers.config.configured_storage import open_configured_storage
    from workers.execution import pipeline

    done = settings.home.with_name("done")
    pipeline.run_stage = lambda claim, storage, workspace: _finish_at_once(done)
    with open_configured_storage(settings) as storage:
        crawls = [
            storage.ledger.open_crawl((f"{number}",), _make_specs(number))
            for number in (1, tasks)
        ]
        storage.ledger.pause(crawls[1])

        def all_of_them() -> None:
            storage.ledger.resume(crawls[1])

        with (
            run_in_child(lambda: run_celery_worker(settings, (QUEUE,), processes)),
            run_in_child(lambda: _run_dispatcher(settings)),
        ):
            rate = measure_rate(
                done, tasks, first=lambda: None, all_of_them=all_of_them
            )
        assert not storage.ledger.count_unfinished(crawls[1])
        return rate


def _run_dispatcher(settings: Settings) -> None:
    from workers.cluster.celery_app import make_celery_app
    from workers.cluster.dispatcher import Dispatcher
    from workers.config.configured_storage import open_configured_storage

    with open_configured_storage(settings) as storage:
        Dispatcher(settings, storage, make_celery_app(settings)).run(threading.Event())


def _make_specs(number: int) -> tuple[TaskSpec, ...]:
    from storage.ledger.interface import Stage, TaskSpec

    keys = (f"{task} of {number}" for task in range(number))
    return tuple(
        TaskSpec(
            stage=Stage.CLONE,
            key=key,
            version="1",
            queue=QUEUE,
            payload="{}",
            subject=key,
            account=key[-1:],
        )
        for key in keys
    )


def _finish_at_once(done: Path) -> Outcome:
    from storage.ledger.interface import Outcome

    write_tick(done)
    return Outcome()


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = create_parser("dispatch", __doc__)
    parser.add_argument("--tasks", type=int, default=3000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    add_results(parser, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
