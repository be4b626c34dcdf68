"""Measure how long the page takes to answer on the server, over synthetic kernels, and its weight.

python -m benchmarks web_speed [--kernels N] [--copies N] [--requests N]
                               [--databases sqlite,postgres] [--keep DIR] [--results FILE]

N kernels are put, and their rows multiplied within the database (`--copies`), as of one crawl.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from starlette.testclient import TestClient

from benchmarks.arguments import add_results, create_parser
from benchmarks.cluster.synthetic_kernels import fill_storage
from benchmarks.cluster.synthetic_verdicts import put_verdicts
from benchmarks.dataset.large_stores import LargeStore, fill_store, open_store
from benchmarks.report import describe_command, format_table, write_report
from storage.open import Storage
from workers.config.settings import Settings
from workers.web.app import create_app

MAX_MILLISECONDS: Final = 100.0
MAX_KILOBYTES: Final = 200.0
_HTML: Final = {"Accept": "text/html", "Accept-Encoding": "identity"}
_COLUMNS: Final = (
    *("page", "median", "p95", "p95 by the clock", "weight"),
    "within 100 ms and 200 kB",
)
_READING: Final = (
    "Milliseconds are of the processor, this process's and the database's together, from a request"
    " to the last byte of its HTML without compression, with what is counted beside it; those by"
    " the clock hold what else ran on the machine, too."
)
_COUNTED_WITHIN: Final = 600.0
"""Seconds that what is counted beside requests may take."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    lines: list[str] = [_READING, ""]
    for database in arguments.databases.split(","):
        kept = arguments.keep and arguments.keep / database
        with open_store(database, kept) as store:
            fill_store(store.storage, put_kernels, arguments.kernels, arguments.copies)
            rows = []
            for row in measure_pages(store, arguments.requests):
                # of an hour's work nothing is lost to what comes after
                print(*row, sep=" | ", file=sys.stderr)
                rows.append(row)
        lines += [f"## {database}", "", *format_table(_COLUMNS, rows), ""]
        lines += [f"Load {os.getloadavg()[0]:.1f} at the end.", ""]
        print("\n".join(lines), flush=True)

    if arguments.results:
        title = (
            f"Speed of the page over {arguments.kernels * arguments.copies:,} kernels"
        )
        words = describe_command("web_speed", argv)
        write_report(arguments.results, title, words, lines)
    return 0


def put_kernels(storage: Storage, kernels: int) -> None:
    """Put kernels of one crawl, with runs and reviews of some."""
    fill_storage(storage, kernels)
    put_verdicts(storage)


def measure_pages(store: LargeStore, requests: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the table: each page asked for `requests` times, one after the other."""
    storage = store.storage
    (crawl,) = (crawl.id for crawl in storage.ledger.crawls())
    # who may see what was said
    token = storage.tokens.add(f"a reader since {time.time()}", "reader")
    headers = {**_HTML, "Authorization": f"Bearer {token}"}
    with (
        tempfile.TemporaryDirectory() as home,
        TestClient(create_app(storage, Settings(home=Path(home)))) as client,
    ):
        for name, address in list_pages(storage, crawl).items():
            # what counts for minutes would be taken for the work of later pages
            if name in ("a crawl", "all crawls"):
                _wait_for_counts(client, address)
            # counts that are made beside requests are there, as on a server that runs
            client.get(address, headers=headers)
            time.sleep(0.2)
            times = [_ask(client, store, address, headers) for _ in range(requests)]
            processor, clock = zip(*times, strict=True)
            kilobytes = len(client.get(address, headers=headers).content) / 1000
            p95 = _percentile(processor, 0.95)
            is_good = p95 <= MAX_MILLISECONDS and kilobytes <= MAX_KILOBYTES
            yield (
                name,
                f"{_percentile(processor, 0.5):.0f} ms",
                f"{p95:.0f} ms",
                f"{_percentile(clock, 0.95):.0f} ms",
                f"{kilobytes:.0f} kB",
                "yes" if is_good else "no",
            )


def _ask(
    client: TestClient, store: LargeStore, address: str, headers: Mapping[str, str]
) -> tuple[float, float]:
    """Return the milliseconds of a request, of the processor and by the clock."""
    began, worked = time.perf_counter(), store.read_processor_seconds()
    answer = client.get(address, headers=headers)
    ended, stopped = time.perf_counter(), store.read_processor_seconds()
    assert answer.status_code == 200, address
    return 1000 * (stopped - worked), 1000 * (ended - began)


def _wait_for_counts(client: TestClient, address: str) -> None:
    began = time.monotonic()
    while time.monotonic() - began < _COUNTED_WITHIN:
        page = client.get(f"{address}.json").json()
        if page["funnel_at"] and page["failures"] is not None:
            return
        time.sleep(0.5)
    raise TimeoutError(f"{address} was not counted in {_COUNTED_WITHIN:.0f} seconds")


def list_pages(storage: Storage, crawl: str) -> dict[str, str]:
    """Return what pages are called, and their addresses."""
    row = next(storage.index.query('digest != ""'))
    kernel = f"repo={row.repo}&commit={row.commit}&path={row.path}&offset={row.offset}"
    place = "\0".join((row.repo, row.commit, row.path, str(row.offset)))
    queries = {
        "kernels, first page": "",
        "kernels by a verdict": "pass_call.gfx90a = pass",
        "kernels by a verdict that one in ten has": "pass_call.gfx90a = fail",
        "kernels by a run": "pass_exe.cpu = consistent",
        "kernels by a rare tag": "tag = rare",
        "kernels by a part of a name": "align_17",
        "kernels by words of their text": "text:softmax",
        "kernels by size and tag": "lines = 10..100 and tag = uses:atomics",
        "kernels of a repository": f"repo = {row.repo}",
        "kernels that are accepted": "review = accepted",
        "kernels that none is like": "name = nothing_of_this_name",
    }
    return {
        "crawls": "/crawls",
        "a crawl, first counted": f"/crawls/{crawl}",
        "a crawl": f"/crawls/{crawl}",
        "all crawls": "/crawls/all",
        **{name: f"/kernels?q={quote(query)}" for name, query in queries.items()},
        "kernels, a later page": f"/kernels?after={quote(place)}",
        "kernels of the crawl": f"/kernels?crawl={crawl}",
        "completion of a value": "/completion?q=licence%20%3D%20A",
        "a kernel": f"/kernel?{kernel}",
        "a kernel's sample": f"/kernel/sample?{kernel}",
        "repositories": "/repositories",
        "a repository": f"/repository?name={row.repo}",
        "reviews": "/reviews",
        "a review": f"/reviews/{row.digest}",
        "a review's whole text": f"/reviews/{row.digest}/texts/source",
        "health": "/healthz",
    }


def _percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[math.ceil(share * len(values)) - 1]


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("web_speed", __doc__)
    parser.add_argument("--kernels", type=int, default=20_000)
    parser.add_argument("--copies", type=int, default=50)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep the stores there, and fill them no further than they lack rows",
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
