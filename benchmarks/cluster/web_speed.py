"""Measure how long the page's answers take on the server, over synthetic kernels, and their weight.

python -m benchmarks web_speed [--kernels N] [--copies N] [--requests N] [--results FILE]

N kernels are put, and their rows multiplied within the database (`--copies`), as of one crawl.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from starlette.testclient import TestClient

from benchmarks.arguments import add_results, create_parser
from benchmarks.cluster.synthetic_kernels import fill_storage
from benchmarks.dataset.multiplied_rows import multiply_rows
from storage.open import Storage, open_storage
from workers.config.settings import Settings
from workers.web.app import create_app

MAX_MILLISECONDS = 100.0
MAX_KILOBYTES = 200.0
_HTML = {"Accept": "text/html", "Accept-Encoding": "identity"}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    with tempfile.TemporaryDirectory() as home, open_storage(Path(home)) as storage:
        crawl = fill_storage(storage, arguments.kernels)
        for copy in range(1, arguments.copies):
            with storage.engine.begin() as connection:
                multiply_rows(connection, copy)
        lines = list(
            measure_pages(storage, Path(home), crawl, max(20, arguments.requests))
        )
    heading = _format_heading(arguments.kernels, arguments.copies)
    report = "\n".join([*heading, *lines, ""])
    print(report)
    if arguments.results:
        arguments.results.write_text(report)
    return 0


def measure_pages(
    storage: Storage, home: Path, crawl: str, requests: int
) -> Iterator[str]:
    """Yield the lines of the table: each page asked for `requests` times, one after the other.

    Time is that of the processor: what other programs do on this machine does not count.
    """
    app = create_app(storage, Settings(home=home))
    # who may see what was said
    token = storage.tokens.add("a reader", "reader")
    headers = {**_HTML, "Authorization": f"Bearer {token}"}
    with TestClient(app) as client:
        for name, address in list_pages(storage, crawl).items():
            if name == "a crawl":
                _wait_for_counts(client, address)
            # counts that are made beside requests are there, as on a server that runs
            client.get(address, headers=headers)
            time.sleep(0.2)
            seconds = []
            for _ in range(requests):
                began = time.thread_time(), time.process_time()
                answer = client.get(address, headers=headers)
                assert answer.status_code == 200, address
                seconds.append(time.process_time() - began[1])
            middle, p95 = _percentile(seconds, 0.5), _percentile(seconds, 0.95)
            kilobytes = len(answer.content) / 1000
            is_good = 1000 * p95 <= MAX_MILLISECONDS and kilobytes <= MAX_KILOBYTES
            yield (
                f"| {name} | {1000 * middle:.0f} ms | {1000 * p95:.0f} ms |"
                f" {kilobytes:.0f} kB | {'yes' if is_good else 'no'} |"
            )


def _wait_for_counts(client: TestClient, address: str) -> None:
    while True:
        page = client.get(f"{address}.json").json()
        if page["funnel_at"] and page["failures"] is not None:
            return
        time.sleep(0.5)


def list_pages(storage: Storage, crawl: str) -> dict[str, str]:
    """Return what pages are called, and their addresses."""
    row = next(storage.index.query('digest != ""'))
    kernel = f"/kernel?repo={row.repo}&commit={row.commit}&path={row.path}&offset={row.offset}"
    return {
        "crawls": "/crawls",
        "a crawl, first counted": f"/crawls/{crawl}",
        "a crawl": f"/crawls/{crawl}",
        "kernels, first page": "/kernels",
        "kernels by a verdict": "/kernels?q=pass_call.gfx90a%20%3D%20pass",
        "kernels by a rare tag": "/kernels?q=tag%20%3D%20rare",
        "kernels of a repository": f"/kernels?q=repo%20%3D%20{row.repo}",
        "kernels that are accepted": "/kernels?q=review%20%3D%20accepted",
        "a kernel": kernel,
        "repositories": "/repositories",
        "reviews": "/reviews",
        "a review": f"/reviews/{row.digest}",
    }


def _percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[math.ceil(share * len(values)) - 1]


def _format_heading(kernels: int, copies: int) -> Iterator[str]:
    yield "# Speed of the page"
    yield ""
    yield (
        f"`python -m benchmarks web_speed --kernels {kernels} --copies {copies}`,"
        f" {kernels * copies:,} kernels: processor time of a request with what is counted"
        " beside it, HTML without compression, embedded database."
    )
    yield ""
    yield "| page | median | p95 | weight | within 100 ms and 200 kB |"
    yield "|---|---|---|---|---|"


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("web_speed", __doc__)
    parser.add_argument("--kernels", type=int, default=20_000)
    parser.add_argument("--copies", type=int, default=50)
    parser.add_argument("--requests", type=int, default=40)
    add_results(parser)
    return parser.parse_args(argv)
