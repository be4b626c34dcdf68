"""Measure the speed-up of two worker processes over one when extracting a package.

python -m benchmarks scaling FOLDER… [--rounds 2]
"""

from __future__ import annotations

import argparse
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser

ALONE = False
PROCESSES = (1, 2)
SPAN_QUERY = """
SELECT count(*), sum(state IN ('waiting', 'ready', 'running')), max(ended_at) - min(leased_at),
  sum(ended_at - leased_at)
FROM task WHERE stage = 'extract' AND leased_at > 0
"""
LINKED_QUERY = "SELECT count(*) FROM task WHERE stage = 'link' AND state != 'waiting'"
MAX_SECONDS = 500.0


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse_arguments(words)
    rows = []
    for folder in arguments.folders:
        spans: dict[int, float] = {}
        for processes in PROCESSES:
            trials = [
                _measure_extraction(folder, processes) for _ in range(arguments.rounds)
            ]
            tasks, spans[processes], worked = min(trials, key=lambda trial: trial[1])
            print(
                folder.name,
                processes,
                f"{spans[processes]:.1f} s, {worked:.1f} s of work",
                file=sys.stderr,
            )
        one_span, two_span = (spans[processes] for processes in PROCESSES)
        rows.append(
            (
                folder.name,
                tasks,
                f"{one_span:.1f} s",
                f"{two_span:.1f} s",
                f"{one_span / two_span:.2f}",
            )
        )
    report.write_report(
        arguments.results,
        "Scaling",
        [
            "python",
            "-m",
            "benchmarks",
            "scaling",
            *(folder.name for folder in arguments.folders),
        ],
        [
            "`kernelset crawl` with one worker process and with two, each into an empty "
            "store: from the first lease "
            "of an `extract` task to the end of the last, the best of "
            f"{arguments.rounds}. Ledger and blobs lie on the "
            "same machine.",
            "",
            *report.format_table(
                ("package", "tasks", "one process", "two", "ratio"), rows
            ),
        ],
    )
    return 0


def _measure_extraction(folder: Path, processes: int) -> tuple[int, float, float]:
    """Return how many tasks there were, the seconds from the first to the last, and the sum of
    theirs.
    """
    program = Path(sys.executable).with_name("kernelset")
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "KERNELSET_HOME": home}
        argv: list[str | Path] = [
            program,
            "crawl",
            folder,
            "--workers",
            str(processes),
            "--targets",
            "sm_80",
        ]
        with (Path(home) / "log").open("wb") as log:
            child = subprocess.Popen(argv, env=environment, stdout=log, stderr=log)
        try:
            _wait_until_linked(child, Path(home) / "kernelset.db")
            with closing(sqlite3.connect(Path(home) / "kernelset.db")) as connection:
                tasks, unfinished, span, worked = connection.execute(
                    SPAN_QUERY
                ).fetchone()
            assert tasks, (Path(home) / "log").read_text()[-2000:]
            assert not unfinished
            return tasks, span, worked
        finally:
            child.send_signal(signal.SIGINT)
            child.wait(60)


def _wait_until_linked(child: subprocess.Popen[bytes], database: Path) -> None:
    deadline = time.monotonic() + MAX_SECONDS
    while child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.5)
        if database.is_file():
            with closing(
                sqlite3.connect(f"file:{database}?mode=ro", uri=True)
            ) as connection:
                try:
                    if connection.execute(LINKED_QUERY).fetchone()[0]:
                        return
                except sqlite3.OperationalError:
                    # its tables are being made
                    continue


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = create_parser("scaling", __doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="of packages")
    parser.add_argument("--rounds", type=int, default=2)
    add_results(parser, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
