"""Measure pages, facets, full text and Parquet of a large index on SQLite and on Postgres.

python -m benchmarks dataset_scale [--kernels N] [--databases sqlite,postgres] [--results FILE]

N kernels are put, and their rows multiplied within the database (`--copies`), each in full.
"""

from __future__ import annotations

import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.arguments import add_results, create_parser
from benchmarks.cluster.synthetic_kernels import (
    KERNELS_PER_COMMIT,
    make_kernel,
    put_commit,
)
from benchmarks.dataset.large_stores import fill_store, open_store
from benchmarks.dataset.near_copies import draw_definitions
from benchmarks.report import (
    describe_command,
    format_table,
    write_report,
)
from crawler.dataset.choice import choose_view
from crawler.dataset.exporters.parquet import PLUGIN as PARQUET
from crawler.dataset.interface import RowContext

if TYPE_CHECKING:
    from crawler.model import KernelRecord
    from storage.open import Storage

_PAGE_ROWS = 50
_PAGES = {
    "first page": "",
    "a licence and a tag": "licence_class = permissive tag = uses:atomics",
    "lines and a build": "lines = 10..100 pass_call.sm_80 = pass",
    "a start of a name": "name = roi_align_7*",
    "a tag that 1 % have": "tag = rare",
}
_FACETS = ("licence", "licence_class", "tag", "pass_call.sm_80", "reasons", "wave")
_TEXTS = {
    "two words that few kernels have": 'text:"word7 word9"',
    "a word that one kernel in 20 has": "text:word77",
    "a word that all have": "text:float",
}
_ORIGINALS = "not repo = *-*"
"""Of a multiplied row the texts are not there."""
_REPEATS = 11
_FACET_REPEATS = 3


def main(argv: Sequence[str] | None = None) -> int:
    parser = create_parser("dataset_scale", __doc__)
    parser.add_argument("--kernels", type=int, default=2000)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--rows", type=int, default=2000, help="of the Parquet file")
    add_results(parser)
    arguments = parser.parse_args(argv)

    lines: list[str] = []
    for database in arguments.databases.split(","):
        with open_store(database) as store:
            rows = list(_measure_database(store.storage, arguments))
        lines += [f"## {database}", "", *format_table(("measure", "figure"), rows), ""]
        # of an hour's work nothing is lost to what comes after
        print("\n".join(lines), flush=True)

    if arguments.results:
        words = describe_command("dataset_scale", argv)
        total = arguments.kernels * arguments.copies
        title = f"An index of {total:,} kernels"
        write_report(arguments.results, title, words, lines)
    return 0


def _measure_database(storage: Storage, arguments: Any) -> Iterator[tuple[str, str]]:
    began = time.perf_counter()
    fill_store(storage, _put_kernels, arguments.kernels, arguments.copies)
    yield "filled in", f"{time.perf_counter() - began:,.0f} s"

    for title, expression in {**_PAGES, **_TEXTS}.items():
        figure = _measure(partial(_read_page, storage, expression))
        yield f"page of {_PAGE_ROWS}, {title}: `{expression}`", figure

    for name in _FACETS:
        count = partial(storage.index.count_values, name)
        yield f"facet of all: `{name}`", _measure(count, _FACET_REPEATS)

    yield from _measure_parquet(storage, arguments.rows)


def _read_page(storage: Storage, expression: str) -> int:
    return sum(1 for _ in storage.index.query(expression, limit=_PAGE_ROWS))


def _measure_parquet(storage: Storage, row_count: int) -> Iterator[tuple[str, str]]:
    records = list(islice(storage.index.records(_ORIGINALS), 500))
    for name in ("kernels", "instantiations"):
        view = choose_view(name)
        # what one of these records gives, over and over
        repeated = _repeat(records, row_count)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            destination = Path(folder) / "rows.parquet"
            written = PARQUET.write(view, repeated, destination, RowContext())
        seconds = time.process_time() - began
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        yield (
            f"rows of `{name}` to Parquet, a second of the processor",
            f"{written / seconds:,.0f} ({written:,} rows; peak of the process "
            f"{after / 1024:,.0f} MiB, {max(0, after - before) / 1024:,.0f} of it for this)",
        )


def _repeat(records: list[KernelRecord], count: int) -> Iterator[KernelRecord]:
    for number in range(count):
        yield records[number % len(records)]


def _put_kernels(storage: Storage, kernels: int) -> None:
    chance = random.Random(7)
    definitions = draw_definitions()
    for number in range(-(-kernels // KERNELS_PER_COMMIT)):
        count = min(KERNELS_PER_COMMIT, kernels - number * KERNELS_PER_COMMIT)
        own = [make_kernel(number, place, chance) for place in range(count)]
        sources = [text for _, text in islice(definitions, count)]
        kernels_of_commit = [
            replace(kernel, source=source)
            for kernel, source in zip(own, sources, strict=True)
        ]
        put_commit(storage, number, 0, kernels_of_commit, chance)


def _measure(action: Callable[[], Any], repeats: int = _REPEATS) -> str:
    """Return the median time by the clock and of this process's processor, after one look that
    fills the caches.
    """
    action()
    by_clock: list[float] = []
    of_processor: list[float] = []
    for _ in range(repeats):
        began, worked = time.perf_counter(), time.process_time()
        action()
        by_clock.append(time.perf_counter() - began)
        of_processor.append(time.process_time() - worked)

    clock, processor = map(statistics.median, (by_clock, of_processor))
    return f"{clock * 1000:,.1f} ms, {processor * 1000:,.1f} of the processor"


if __name__ == "__main__":
    raise SystemExit(main())
