"""How long a claim and a round of the dispatcher take on Postgres, by the length of the queue.

python -m benchmarks claims [--rows 1000000] [--claims 200]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import report

ROOT = Path(__file__).resolve().parents[1]
ALONE = False
SHORT = 1000
FILL = """
INSERT INTO task (stage, key, stage_version, queue, payload, subject, priority, account, state, not_before, owner,
  lease, leased_at, attempt, generation, pending_children, kills, interruptions, code, message, result,
  created_at, ended_at)
SELECT 'clone', n::text, '1', 'clone', '{}', n::text, 1, 'account ' || mod(n, 50), 'ready', 0, '',
  0, 0, 0, 0, 0, 0, 0, '', '', '', 0, 0 FROM generate_series(1, %d) AS n;
INSERT INTO crawl (id, locators, created_at) VALUES ('many', '[]', 0);
INSERT INTO crawl_task (crawl, task) SELECT 'many', id FROM task;
ANALYZE task, crawl_task, crawl
"""


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _arguments(words)
    sys.path.insert(0, str(ROOT / "tests"))
    from servers import postgres

    from storage.open import upgrade_server

    columns: dict[int, dict[str, float]] = {}
    with postgres.serving() as server:
        for rows in (SHORT, arguments.rows):
            name = f"rows_{rows}"
            server.run(f"CREATE DATABASE {name}")
            upgrade_server(server.url(name))
            server.run(FILL % rows, name)
            columns[rows] = _measured(server.url(name), arguments.claims)
    shown = [word for word in words if word != "--results" and not word.endswith(".md")]
    short, long = columns[SHORT], columns[arguments.rows]
    table = [(what, f"{short[what]:.2f}", f"{long[what]:.2f}", f"{long[what] / short[what]:.2f}") for what in short]
    head = ("fastest tenth, ms", f"{SHORT:,} ready", f"{arguments.rows:,} ready", "ratio")
    report.write(
        arguments.results, "Claims", ["python", "-m", "benchmarks", "claims", *shown], report.table(head, table)
    )
    return 0


def _measured(address: str, number: int) -> dict[str, float]:
    from storage.ledger import Lane, Outcome, Stage
    from storage.open import open_storage
    from storage.window import Share

    with tempfile.TemporaryDirectory() as folder, open_storage(Path(folder), database=address) as storage:

        def claimed() -> None:
            claim = storage.ledger.claim("me", tuple(Stage), 600)
            assert claim
            storage.ledger.finish(claim, Outcome())

        def told() -> None:
            message = next(messages)
            claim = storage.ledger.claim_sent("me", message.task, message.generation, 600)
            assert claim
            storage.ledger.finish(claim, Outcome())

        def rounds() -> None:
            assert storage.window.due({Lane("clone"): 60.0}, Share(window=64)) is not None

        told_of = {"claim the best task and finish it": _fastest(claimed, number)}
        messages = iter(storage.window.due({Lane("clone"): 60.0}, Share(window=number)))
        told_of["claim what a message names and finish it"] = _fastest(told, number)
        told_of["a round of the dispatcher, 50 accounts"] = _fastest(rounds, 20)
        return told_of


def _fastest(act: Callable[[], None], number: int) -> float:
    """Return the mean of the fastest tenth, in milliseconds: others share the machine."""
    times = []
    for _ in range(number):
        started = time.perf_counter()
        act()
        times.append(time.perf_counter() - started)
    return 1000 * statistics.fmean(sorted(times)[: max(1, number // 10)])


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--claims", type=int, default=200)
    parser.add_argument("--results", type=Path, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
