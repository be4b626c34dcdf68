"""Measure what killed workers, restarted servers and a failing bucket cost a cluster.

python -m benchmarks kill [--tasks 2000] [--workers 8] [--mean 0.2] [--every 1.0]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_results, create_parser

ROOT = Path(__file__).resolve().parents[2]
ALONE = False
UNDISTURBED, DISTURBED = "undisturbed", "disturbed"


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse_arguments(words)
    from tests.servers.fleet import Ended, Trial

    calm = Trial()
    rough = Trial(
        kill_every=arguments.every,
        flush_at=0.25,
        broker_restart_at=0.5,
        database_restart_at=0.75,
    )
    ended: dict[str, Ended] = {}
    for seed, (name, trial) in enumerate(
        {UNDISTURBED: calm, DISTURBED: rough}.items(), 1
    ):
        ended[name] = _run_fleet(arguments, trial, name == DISTURBED, seed)
        print(name, ended[name], file=sys.stderr)
    ratio = ended[DISTURBED].seconds / ended[UNDISTURBED].seconds
    shown_words = report.omit_results(words)
    report.write_report(
        arguments.results,
        "Kills",
        ["python", "-m", "benchmarks", "kill", *shown_words],
        _format_lines(arguments, ended, ratio),
    )
    sound = all(
        run_result.states == {"done": arguments.tasks}
        and not (run_result.done_twice or run_result.orphans or run_result.wrong)
        for run_result in ended.values()
    )
    return 0 if sound else 1


def _run_fleet(
    arguments: argparse.Namespace, trial: Any, rough: bool, seed: int
) -> Any:
    import boto3

    from storage.open import upgrade_postgres
    from tests.servers import postgres, s3, valkey
    from tests.servers.fleet import made

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
        with made(
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
                seed=seed,
            )


def _format_lines(
    arguments: argparse.Namespace, ended: dict[str, Any], ratio: float
) -> list[str]:
    rows = [
        (
            name,
            f"{run_result.seconds:.0f} s",
            run_result.kills,
            ", ".join(run_result.happened) or "none",
            ", ".join(
                f"{number} {state}"
                for state, number in sorted(run_result.states.items())
            ),
            run_result.done_twice,
            run_result.wrong,
            run_result.orphans,
        )
        for name, run_result in ended.items()
    ]
    columns = (
        "run",
        "time",
        "kills -9",
        "besides",
        "tasks",
        "done twice",
        "wrong results",
        "orphans",
    )
    return [
        f"{arguments.tasks} tasks, {arguments.workers} workers of one process each; half "
        "of the tasks run a program "
        f"for {arguments.mean} s on average and store a blob, each other reads one back. "
        "Disturbed: a random worker is "
        f"killed every {arguments.every} s and another one started; the bucket answers 5 "
        "% of requests by an error and "
        "5 % two seconds late. Postgres, Valkey and an S3 server run on the same cores, "
        "two dispatchers among them.",
        "",
        *report.format_table(columns, rows),
        "",
        f"The disturbed run took {ratio:.2f} times as long.",
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
        "--limit",
        type=float,
        default=480.0,
        help="seconds after which a run is given up",
    )
    add_results(parser, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
