"""Measure what kills, restarts, partitions, full disks, clocks and old workers cost a cluster.

python -m benchmarks kill [--tasks 2000] [--workers 8] [--mean 0.2] [--every 1.0] [SCENARIO…]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_results, create_parser

ALONE = False
MOST_TIMES = 2.0
"""As long as a disturbed run may take, in runs that nothing disturbs."""
COLUMNS = (
    "run",
    "time",
    "times as long",
    "kills -9",
    "ended by themselves",
    "besides",
    "tasks",
    "done there",
    "done twice",
    "of another version",
    "wrong results",
    "orphans",
)


def main(argv: Sequence[str] | None = None) -> int:
    from tests.servers.fleets.scenarios import SCENARIOS, UNDISTURBED

    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse_arguments(words)
    names = arguments.scenario or [name for name in SCENARIOS if name != UNDISTURBED]
    outcomes: dict[str, Any] = {}
    for name in (UNDISTURBED, *names):
        trial = SCENARIOS[name](arguments.every, arguments.seconds)
        outcomes[name] = _run_fleet(arguments, trial, name != UNDISTURBED)
        print(name, outcomes[name], file=sys.stderr)
        calm_seconds = outcomes[UNDISTURBED].seconds
        # after each run: what was measured is kept when a later one is broken off
        report.write_report(
            arguments.results,
            "Kills",
            ["python", "-m", "benchmarks", "kill", *report.omit_results(words)],
            _format_lines(arguments, outcomes, calm_seconds),
        )
    is_sound = all(
        outcome.is_sound(arguments.tasks)
        and outcome.seconds <= MOST_TIMES * calm_seconds
        for outcome in outcomes.values()
    )
    return 0 if is_sound else 1


def _run_fleet(arguments: argparse.Namespace, trial: Any, rough: bool) -> Any:
    import boto3

    from storage.open import upgrade_postgres
    from tests.servers import postgres, s3, valkey
    from tests.servers.fleets.fleet import open_fleet

    with (
        tempfile.TemporaryDirectory() as folder,
        postgres.serving() as database,
        valkey.serving() as broker,
        s3.serving() as store,
    ):
        database.run("CREATE DATABASE trial")
        upgrade_postgres(database.url("trial"))
        bucket = f"trial-{uuid.uuid4().hex}"
        boto3.session.Session().client("s3", endpoint_url=store.url).create_bucket(
            Bucket=bucket
        )
        if rough:
            store.errors, store.slow, store.delay = 0.05, 0.05, 2.0
        with open_fleet(
            Path(folder) / "home",
            database,
            broker,
            store,
            database.url("trial"),
            bucket,
        ) as fleet:
            return fleet.run(
                arguments.tasks,
                arguments.workers,
                arguments.mean,
                trial,
                limit=arguments.limit,
                # the same tasks for all, to be compared
                seed=1,
            )


def _format_lines(
    arguments: argparse.Namespace, outcomes: Mapping[str, Any], calm_seconds: float
) -> list[str]:
    rows = [
        (
            name,
            f"{outcome.seconds:.0f} s",
            f"{outcome.seconds / calm_seconds:.2f}",
            outcome.kills,
            outcome.stops,
            ", ".join(outcome.trouble_names) or "none",
            ", ".join(
                f"{number} {state}" for state, number in sorted(outcome.states.items())
            ),
            outcome.odd_ends,
            outcome.repeated_tasks,
            outcome.foreign_ends,
            outcome.wrong_results,
            outcome.orphans,
        )
        for name, outcome in outcomes.items()
    ]
    return [
        f"{arguments.tasks} tasks, {arguments.workers} workers of one process each and two "
        "dispatchers; half of the tasks write to the scratch disk, run a program for "
        f"{arguments.mean} s on average and store a blob, each other reads one back. All but "
        f"the first run: a random worker is killed every {arguments.every} s and another one "
        "started; the bucket answers 5 % of requests by an error and 5 % two seconds late. "
        "Postgres, Valkey and an S3 server run on the same cores.",
        "",
        f"*Partition*, *full disk* (each {arguments.seconds:g} s) and *jumping clock* (ahead "
        f"for {arguments.seconds / 2:g} s, then behind) befall a host with a quarter of the "
        "workers and one of the two dispatchers, and *previous version* is such a host that "
        "has one: a quarter of the tasks are for it. *Done there* are tasks that ended on "
        "that host. A worker that ends by itself is started again after a second.",
        "",
        *report.format_table(COLUMNS, rows),
    ]


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = create_parser("kill", __doc__)
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument(
        "--mean", type=float, default=0.2, help="seconds that half of the tasks take"
    )
    parser.add_argument(
        "--every", type=float, default=1.0, help="seconds between two kills"
    )
    parser.add_argument(
        "--seconds", type=float, default=30.0, help="seconds that a trouble lasts"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=480.0,
        help="seconds after which a run is given up",
    )
    parser.add_argument(
        "scenario", nargs="*", help="one or more; all of them if left out"
    )
    add_results(parser, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
