"""Measure how fast near copies are found among synthetic kernels, and which are missed.

python -m benchmarks near_copies [--kernels N] [--results FILE]
"""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from benchmarks.arguments import add_results, create_parser
from benchmarks.report import (
    describe_command,
    format_table,
    write_report,
)
from crawler.similarity.near_clusters import group_near_copies
from crawler.similarity.signature import Signature, sign_definitions
from storage.database.chunks import iter_slices

_WORDS = [f"word{number}" for number in range(3000)]
_STATEMENTS = 40
"""Of a kernel: some 400 tokens; the median of mmcv's has 285."""
_COPIES = 3
"""Of each kernel, itself among them: with none, one and two of its statements replaced."""
_KERNELS_PER_BATCH = 1000


def main(argv: Sequence[str] | None = None) -> int:
    parser = create_parser("near_copies", __doc__)
    parser.add_argument("--kernels", type=int, default=20_000)
    add_results(parser)
    arguments = parser.parse_args(argv)

    lines = measure_near_copies(arguments.kernels)
    print("\n".join(lines))
    if arguments.results:
        words = describe_command("near_copies", argv)
        title = f"Near copies among {arguments.kernels:,} kernels"
        write_report(arguments.results, title, words, lines)
    return 0


def measure_near_copies(kernels: int) -> list[str]:
    """Return the lines of the table."""
    began = time.process_time()
    definitions = list(islice(draw_definitions(), kernels))
    drawn = time.process_time()
    signatures: list[Signature] = []
    for batch in iter_slices(definitions, _KERNELS_PER_BATCH):
        signatures += sign_definitions(batch)

    signed = time.process_time()
    del definitions
    groups = group_near_copies(signatures)
    grouped = time.process_time()

    clusters = [groups[signature.digest] for signature in signatures]
    families = [position // _COPIES for position in range(kernels)]
    pair_counts = count_pairs(clusters, families)
    planted = kernels // _COPIES * 2
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = [
        ("draw the texts", f"{drawn - began:.1f} s", ""),
        (
            "sign",
            f"{signed - drawn:.1f} s",
            f"{kernels / (signed - drawn):,.0f} a second",
        ),
        (
            "group",
            f"{grouped - signed:.1f} s",
            f"{kernels / (grouped - signed):,.0f} a second",
        ),
        ("peak of memory", f"{peak_mib:,.0f} MiB", "with the synthetic texts"),
        (
            "copies found",
            f"{pair_counts} of {planted}",
            f"{100 * pair_counts / planted:.2f} %",
        ),
        ("groups", f"{len(set(clusters))}", f"{len(set(families))} kernels were drawn"),
    ]
    return format_table(("measure", "figure", "that is"), rows)


def count_pairs(clusters: Sequence[str], families: Sequence[int]) -> int:
    """Return how many kernels are in the cluster of the first of their family."""
    firsts: dict[int, str] = {}
    count = 0
    for cluster, family in zip(clusters, families, strict=True):
        if family in firsts:
            count += cluster == firsts[family]
        else:
            firsts[family] = cluster
    return count


def draw_definitions() -> Iterator[tuple[str, str]]:
    """Yield (name, text) of kernels, each followed by its copies, for ever."""
    drawer = random.Random(1)
    number = 0
    while True:
        name = f"kernel{number}"
        statements = [_draw_statement(drawer) for _ in range(_STATEMENTS)]
        for replaced in range(_COPIES):
            copy = statements[:]
            for place in drawer.sample(range(_STATEMENTS), replaced):
                copy[place] = _draw_statement(drawer)
            yield name, f"__global__ void {name}(float* x) {{ {' '.join(copy)} }}"

        number += 1


def _draw_statement(drawer: random.Random) -> str:
    target, index, left, right = drawer.choices(_WORDS, k=4)
    return f"{target}[{index}] = {left} * {right};"


if __name__ == "__main__":
    raise SystemExit(main())
