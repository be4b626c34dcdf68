"""Measure workers in networks of their own, and hold the model of saturation against them.

python -m benchmarks networks [--tasks 400] [--mean 1.0] [--delay 5] [--loss 1] [WORKERS…]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.cluster.crawl_simulation import STAGE_ORDER, Costs, simulate_crawl
from benchmarks.cluster.saturation import measure_costs

if TYPE_CHECKING:
    from storage.open import Storage
    from tests.servers.fleets.fleet import Fleet
    from tests.servers.fleets.host import Host

ALONE = False
_LIMIT_SECONDS = 400.0


@dataclass(frozen=True, kw_only=True)
class _Course:
    """How a number of workers came through."""

    seconds: float
    task_seconds: list[float]
    states: dict[str, int]
    repeated_tasks: int
    wrong_results: int


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse_arguments(words)
    costs = measure_costs()
    courses: dict[int, _Course] = {}
    for workers in arguments.workers:
        courses[workers] = _run_workers(arguments, workers)
        print(workers, f"{courses[workers].seconds:.1f} s", file=sys.stderr)
        report.write_report(
            arguments.results,
            "Networks",
            ["python", "-m", "benchmarks", "networks", *report.omit_results(words)],
            _format_lines(arguments, courses, costs),
        )
    is_sound = all(
        course.states == {"done": arguments.tasks}
        and not course.repeated_tasks
        and not course.wrong_results
        for course in courses.values()
    )
    return 0 if is_sound else 1


def _run_workers(arguments: argparse.Namespace, workers: int) -> _Course:
    from tests.servers.fleets import outcome
    from tests.servers.fleets.host import Process

    with _open_hosts(arguments, workers) as (fleet, hosts), fleet.storage() as storage:
        # the same tasks for all, to be compared
        workload = outcome.open_crawls(
            storage, hosts, arguments.tasks, arguments.mean, random.Random(1), 1
        )
        for crawl in workload.crawls:
            storage.ledger.pause(crawl)
        processes = [Process(host, "worker") for host in hosts]
        for process in (*processes, Process(fleet.host, "dispatch")):
            process.start()
        _await_workers(storage, workers)
        for crawl in workload.crawls:
            storage.ledger.resume(crawl)
        started_at = time.monotonic()
        while time.monotonic() - started_at < _LIMIT_SECONDS:
            states = workload.count_states(storage)
            if not set(states) & {"ready", "running", "waiting"}:
                break
            time.sleep(0.1)
        return _Course(
            seconds=time.monotonic() - started_at,
            task_seconds=_list_task_seconds(storage),
            states=states,
            repeated_tasks=outcome.count_repeated_tasks(hosts),
            wrong_results=arguments.tasks - workload.count_correct_results(storage),
        )


@contextmanager
def _open_hosts(
    arguments: argparse.Namespace, workers: int
) -> Iterator[tuple[Fleet, list[Host]]]:
    """Give a fleet without workers, and hosts for them beyond a network."""
    import boto3

    from storage.open import upgrade_postgres
    from tests.servers import postgres, s3, valkey
    from tests.servers.fleets import networks
    from tests.servers.fleets.fleet import open_fleet

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(postgres.serving())
        broker = stack.enter_context(valkey.serving())
        store = stack.enter_context(s3.serving())
        database.run("CREATE DATABASE trial")
        upgrade_postgres(database.url("trial"))
        bucket = f"trial-{uuid.uuid4().hex}"
        client = boto3.session.Session().client("s3", endpoint_url=store.url)
        client.create_bucket(Bucket=bucket)
        fleet = stack.enter_context(
            open_fleet(
                *(folder / "home", database, broker, store),
                *(database.url("trial"), bucket),
            )
        )
        far_hosts = networks.open_far_hosts(
            fleet,
            workers,
            delay=arguments.delay / 2000,
            loss=arguments.loss / 100,
        )
        hosts = stack.enter_context(far_hosts)
        yield fleet, hosts


def _await_workers(storage: Storage, count: int) -> None:
    deadline = time.monotonic() + _LIMIT_SECONDS
    while len(storage.worker_registry.live_workers()) < count:
        assert time.monotonic() < deadline, "workers do not come"
        time.sleep(0.1)


def _list_task_seconds(storage: Storage) -> list[float]:
    statement = "SELECT ended_at - leased_at FROM task WHERE leased_at > 0"
    with storage.engine.connect() as connection:
        return [float(seconds) for (seconds,) in connection.exec_driver_sql(statement)]


def _predict_seconds(
    arguments: argparse.Namespace, course: _Course, workers: int, costs: Costs
) -> float:
    """Return what the model of saturation says for tasks of these times."""
    played = argparse.Namespace(
        workers=workers, cores=2, repositories=arguments.tasks // len(STAGE_ORDER)
    )
    play = simulate_crawl(
        dict.fromkeys(STAGE_ORDER, course.task_seconds),
        dict.fromkeys(STAGE_ORDER, 1),
        costs,
        played,
        1,
    )
    tasks: int = arguments.tasks
    return play.seconds * tasks / play.tasks


def _format_lines(
    arguments: argparse.Namespace, courses: dict[int, _Course], costs: Costs
) -> list[str]:
    base_workers, base = next(iter(courses.items()))
    rows = []
    for workers, course in courses.items():
        predicted = _predict_seconds(arguments, course, workers, costs)
        speed = base.seconds / course.seconds * base_workers
        rows.append(
            (
                workers,
                f"{course.seconds:.1f} s",
                f"{speed:.2f}",
                f"{predicted:.1f} s",
                f"{course.seconds / predicted:.2f}",
                ", ".join(f"{n} {state}" for state, n in sorted(course.states.items())),
                course.repeated_tasks,
                course.wrong_results,
            )
        )
    return [
        f"{arguments.tasks} tasks, half of which run a program for {arguments.mean} s on "
        "average and store a blob, each other reads one back. Each worker of one process is "
        "in a network namespace of its own. Postgres, Valkey and the S3 server lie beyond a "
        f"bridge, {arguments.delay:g} ms there and back by a relay, and {arguments.loss:g} % of "
        "all packets are lost at each worker. All share the cores of one machine.",
        "",
        "*Played* is what the model of `saturation` makes of the tasks' own times, from the "
        "lease to the end, with what a task was measured to cost ledger and dispatcher here: "
        f"{1000 * costs.ledger:.2f} and {1000 * costs.dispatch:.2f} ms.",
        "",
        *report.format_table(
            (
                *("workers", "time", "workers' worth", "played", "times as long"),
                *("tasks", "done twice", "wrong results"),
            ),
            rows,
        ),
    ]


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = create_parser("networks", __doc__)
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument(
        "--mean", type=float, default=1.0, help="seconds that half of the tasks take"
    )
    parser.add_argument(
        "--delay", type=float, default=5.0, help="milliseconds there and back"
    )
    parser.add_argument("--loss", type=float, default=1.0, help="percent of packets")
    parser.add_argument("workers", type=int, nargs="*", default=[1, 2, 4, 8])
    add_results(parser, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
