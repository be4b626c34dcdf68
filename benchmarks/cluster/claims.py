"""Measure claims and dispatcher rounds by the length of the queue, on Postgres and SQLite.

python -m benchmarks claims [--rows 1000000] [--claims 200]
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import report
from benchmarks.arguments import add_results, create_parser

if TYPE_CHECKING:
    from storage.open import Storage
    from tests.servers.postgres import Postgres

ROOT = Path(__file__).resolve().parents[2]
ALONE = False
SHORT_QUEUE = 1000
MAX_RATIO = 1.2
FILL_STATEMENT = """
INSERT INTO task (stage, key, stage_version, queue, payload, subject, priority, account, state,
  not_before, owner, lease, leased_at, attempt, generation, pending_children, kills, interruptions,
  code, message, result, created_at, ended_at)
WITH RECURSIVE row(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < {rows})
SELECT 'clone', CAST(n AS TEXT), '1', 'clone', '{{}}', CAST(n AS TEXT), 1,
  'account ' || (n - n / 50 * 50), 'ready', 0, '', 0, 0, 0, 0, 0, 0, 0, '', '', '', 0, 0 FROM row;
INSERT INTO crawl (id, locators, created_at) VALUES ('many', '[]', 0);
INSERT INTO crawl_task (crawl, task) SELECT 'many', id FROM task;
"""


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse_arguments(words)
    from tests.servers import postgres

    lines: list[str] = []
    worst = 0.0
    with postgres.serving() as server, tempfile.TemporaryDirectory() as folder:
        for kind, open_store in {
            "Postgres": _open_on_server,
            "SQLite": _open_embedded,
        }.items():
            with (
                open_store(server, Path(folder), SHORT_QUEUE) as short,
                open_store(server, Path(folder), arguments.rows) as long,
            ):
                times = _measure_acts(
                    (short, long),
                    arguments.claims,
                    rounds=open_store is _open_on_server,
                )
            rows = [
                (
                    title,
                    f"{short_ms:.2f}",
                    f"{long_ms:.2f}",
                    f"{long_ms / short_ms:.2f}",
                )
                for title, (short_ms, long_ms) in times.items()
            ]
            head = (
                f"{kind}: fastest half, ms",
                f"{SHORT_QUEUE:,} ready",
                f"{arguments.rows:,} ready",
                "ratio",
            )
            lines += [*report.format_table(head, rows), ""]
            worst = max(
                worst,
                *(
                    long_ms / short_ms
                    for title, (short_ms, long_ms) in times.items()
                    if title.startswith("claim")
                ),
            )
    shown_words = report.omit_results(words)
    lines.append(
        f"Each is done {arguments.claims} times, in turns with few rows and with many."
    )
    report.write_report(
        arguments.results,
        "Claims",
        ["python", "-m", "benchmarks", "claims", *shown_words],
        lines,
    )
    return 0 if worst <= MAX_RATIO else 1


@contextmanager
def _open_on_server(server: Postgres, folder: Path, rows: int) -> Iterator[Storage]:
    from storage.open import open_storage, upgrade_postgres

    name = f"rows_{rows}"
    server.run(f"CREATE DATABASE {name}")
    upgrade_postgres(server.url(name))
    server.run(f"{FILL_STATEMENT.format(rows=rows)}; ANALYZE", name)
    with open_storage(folder / f"far {rows}", database=server.url(name)) as storage:
        yield storage


@contextmanager
def _open_embedded(_: Postgres, folder: Path, rows: int) -> Iterator[Storage]:
    from storage.open import open_storage

    home = folder / f"near {rows}"
    open_storage(home).close()
    with closing(sqlite3.connect(home / "kernelset.db")) as connection:
        connection.executescript(FILL_STATEMENT.format(rows=rows))
    with open_storage(home) as storage:
        yield storage


def _measure_acts(
    stores: tuple[Storage, Storage], number: int, *, rounds: bool
) -> dict[str, tuple[float, float]]:
    """Return what each act takes with few rows and with many, in milliseconds; a dispatcher is
    a server's alone.
    """
    acts = [_Acts(storage, number) for storage in stores]
    times = {
        "claim what a message names and finish it": _time_faster_half(
            [actor.claim_dispatched for actor in acts], number
        ),
        "claim the best task and finish it": _time_faster_half(
            [actor.claim_best for actor in acts], number
        ),
    }
    if rounds:
        times["a round of the dispatcher, 50 accounts"] = _time_faster_half(
            [actor.run_round for actor in acts], number // 4
        )
    return times


class _Acts:
    """What workers and the dispatcher ask of a ledger."""

    def __init__(self, storage: Storage, number: int) -> None:
        from storage.ledger.dispatch.dispatch_selection import DispatchLimits
        from storage.ledger.interface import Lane

        self._storage = storage
        self._lane, self._share = (
            {Lane("clone"): 60.0},
            DispatchLimits(messages_per_lane=64),
        )
        self._messages = iter(
            storage.dispatch_window.take_due_messages(
                self._lane, DispatchLimits(messages_per_lane=number)
            )
        )

    def claim_best(self) -> None:
        from storage.ledger.interface import Outcome, Stage

        claim = self._storage.ledger.claim("me", tuple(Stage), 600)
        assert claim
        self._storage.ledger.finish(claim, Outcome())

    def claim_dispatched(self) -> None:
        from storage.ledger.interface import Outcome

        message = next(self._messages)
        claim = self._storage.ledger.claim_dispatched(
            "me", message.task, message.generation, 600
        )
        assert claim
        self._storage.ledger.finish(claim, Outcome())

    def run_round(self) -> None:
        assert (
            self._storage.dispatch_window.take_due_messages(self._lane, self._share)
            is not None
        )


def _time_faster_half(
    acts: Sequence[Callable[[], None]], number: int
) -> tuple[float, float]:
    """Return the mean of the faster half of each, in milliseconds: others share the machine."""
    times: list[list[float]] = [[] for _ in acts]
    for _ in range(number):
        for act, seconds in zip(acts, times, strict=True):
            started = time.perf_counter()
            act()
            seconds.append(time.perf_counter() - started)
    few, many = (
        1000 * statistics.fmean(sorted(seconds)[: number // 2]) for seconds in times
    )
    return few, many


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = create_parser("claims", __doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--claims", type=int, default=200)
    add_results(parser, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
