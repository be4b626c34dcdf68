"""Measure empty tasks a second through the ledger and through bare Celery on the same servers.

python -m benchmarks dispatch [--tasks 3000] [--processes 2] [--rounds 3]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import report

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
MAX_SECONDS = 120.0


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
    from workers.config.settings import load_settings

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
        _write_tick(done)

    # a decorator without types would make the function untyped
    app.task(name=BARE_TASK, ignore_result=True)(bare)
    with _run_in_child(lambda: _serve_app(app, processes)):
        return _measure_rate(
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
            _run_in_child(lambda: run_celery_worker(settings, (QUEUE,), processes)),
            _run_in_child(lambda: _run_dispatcher(settings)),
        ):
            rate = _measure_rate(
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

    _write_tick(done)
    return Outcome()


def _write_tick(done: Path) -> None:
    with done.open("ab", buffering=0) as file:
        file.write(b".")


def _measure_rate(
    done: Path,
    tasks: int,
    *,
    first: Callable[[], None],
    all_of_them: Callable[[], None],
) -> float:
    """Return how many tasks a second are done, once the first shows that the worker is up."""
    done.write_bytes(b"")
    first()
    _wait_for_ticks(done, 1)
    started = time.monotonic()
    all_of_them()
    _wait_for_ticks(done, 1 + tasks)
    return tasks / (time.monotonic() - started)


def _wait_for_ticks(done: Path, ticks: int) -> None:
    deadline = time.monotonic() + MAX_SECONDS
    while done.stat().st_size < ticks:
        assert time.monotonic() < deadline, (
            f"{done.stat().st_size} of {ticks} tasks are done"
        )
        time.sleep(0.01)


@contextlib.contextmanager
def _run_in_child(act: Callable[[], object]) -> Iterator[None]:
    """Let a process of its own do it for as long as the block runs."""
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os.setsid()
            # what workers log costs them as much as ever, and goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            act()
        os._exit(0)
    try:
        yield
    finally:
        os.kill(child, signal.SIGQUIT)
        threading.Timer(10.0, _kill_group, (child,)).start()
        os.waitpid(child, 0)


def _kill_group(child: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", type=int, default=3000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
