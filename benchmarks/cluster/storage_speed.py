"""Measure storing, querying and counting synthetic kernels in the embedded database.

python -m benchmarks storage_speed [--kernels N] [--results FILE]
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.arguments import add_results, create_parser
from benchmarks.cluster.synthetic_kernels import KERNELS_PER_COMMIT, fill_storage
from storage.open import Storage, open_storage

PAGE_SIZE = 500
QUERIES = {
    "first page of all": "",
    "name, exactly": "name=roi_align_7_kernel",
    "start of a name": "name=roi_align_7*",
    "part of a name, in few": "77_kern",
    "one repository": "repo=owner7/project7",
    "tag that 1 % have": "tag=rare",
    "tag that half have": "tag=uses:atomics",
    "instantiation": "instantiation=c10::Half",
    "compiled for a target": "pass_call.gfx90a=pass",
    "compiled for none": "not pass_call=pass",
    "reason of a build": "reasons=compile-error",
    "reason of few": "reasons=inline-ptx",
    "four terms": "licence_class=permissive tag=uses:atomics lines>20 pass_call.sm_80=pass",
    "nothing matches, by name": "no_kernel_is_called_so",
    "nothing matches, by verdict": "pass_call.gfx942=pass",
    "one unit": "digest={digest}",
    "its start": "digest={start}*",
    "one cluster": "cluster={cluster}",
}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    with tempfile.TemporaryDirectory() as home, open_storage(Path(home)) as storage:
        lines = list(measure_storage(storage, arguments.kernels))
        size = sum(
            path.stat().st_size for path in Path(home).rglob("*") if path.is_file()
        )
    report = "\n".join([*_format_heading(arguments.kernels, size), *lines, ""])
    print(report)
    if arguments.results:
        arguments.results.write_text(report)
    return 0


def measure_storage(storage: Storage, kernels: int) -> Iterator[str]:
    """Yield the lines of the table."""
    began = time.perf_counter()
    crawl, put = measure_cpu_seconds(lambda: fill_storage(storage, kernels))
    waited = time.perf_counter() - began
    yield (
        f"| put all | {put:.1f} s | {kernels / put:,.0f} kernels a second; {waited:.0f} "
        "s with waiting for the disk |"
    )
    everything, read = measure_cpu_seconds(
        lambda: sum(1 for _ in storage.index.query())
    )
    yield f"| query, all rows | {read:.2f} s | {everything / read:,.0f} rows a second |"
    _, narrowed = measure_cpu_seconds(
        lambda: sum(1 for _ in storage.index.query(crawl=crawl))
    )
    yield f"| query, all rows of a crawl | {narrowed:.2f} s | {narrowed / read:.2f} of all rows |"
    first = next(storage.index.query())
    names = {
        "digest": first.digest,
        "start": first.digest[:12],
        "cluster": first.cluster,
    }
    for title, expression in QUERIES.items():
        query = expression.format(**names)
        row_count, seconds = measure_cpu_seconds(
            partial(_count_first_page, storage, query),
            best_of=3,
        )
        yield (
            f"| {title}: `{expression}` | {seconds * 1000:.1f} ms | {row_count} rows, "
            f"{seconds / read:.4f} of all rows |"
        )
    _, counted = measure_cpu_seconds(storage.index.totals, best_of=3)
    yield f"| status: totals of the index | {counted:.2f} s | {counted / read:.2f} of all rows |"
    _, counted = measure_cpu_seconds(
        lambda: storage.index.totals(crawl=crawl), best_of=3
    )
    yield f"| status: totals of a crawl | {counted:.2f} s | {counted / read:.2f} of all rows |"
    _, counted = measure_cpu_seconds(
        lambda: storage.ledger.task_counts(crawl), best_of=3
    )
    yield f"| status: tasks of a crawl | {counted * 1000:.1f} ms | |"
    whole, records = measure_cpu_seconds(
        lambda: sum(1 for _ in islice(storage.index.records(), 2000))
    )
    yield (
        f"| whole records, the first {whole} | {records:.2f} s | {whole / records:,.0f} "
        "a second |"
    )


def _count_first_page(storage: Storage, expression: str) -> int:
    return sum(1 for _ in storage.index.query(expression, limit=PAGE_SIZE))


def measure_cpu_seconds(
    action: Callable[[], Any], *, best_of: int = 1
) -> tuple[Any, float]:
    """Return what `action` gives and the CPU seconds of its best try: others on the machine
    count little in them.
    """
    best = float("inf")
    for _ in range(best_of):
        began = time.process_time()
        result = action()
        best = min(best, time.process_time() - began)
    return result, best


def _format_heading(kernels: int, size: int) -> list[str]:
    machine = (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"{len(os.sched_getaffinity(0))} cores"
    )
    return [
        "# How fast the index is",
        "",
        (
            f"`python -m benchmarks storage_speed --kernels {kernels}`: {kernels:,} synthetic "
            "kernels in commits of"
        ),
        (
            f"{KERNELS_PER_COMMIT}, 95 % with a unit, a port and three builds; one in five "
            "stands in forks, too."
        ),
        (
            f"{size / 1e6:,.0f} MB on disk. {machine}. CPU seconds of one run: compare the "
            "ratios. A query reads the"
        ),
        f"first {PAGE_SIZE} rows at most, and its time is the best of three.",
        "",
        "| what | CPU time | rows and ratio |",
        "|---|---|---|",
    ]


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("storage_speed", __doc__)
    parser.add_argument("--kernels", type=int, default=100_000)
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
