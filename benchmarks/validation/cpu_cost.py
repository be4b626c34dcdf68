"""List the seconds of the processor that validations on the CPU take, by step, for a sample.

python -m benchmarks cpu_cost FOLDER… --account FILE [--state DIR] [--count N] [--seed N]
[--records FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.validation.cost_steps import StepMeter, measure_steps
from benchmarks.validation.cpu_runs import (
    load_kernels,
    run_kernel,
    used_cpu_seconds,
)
from crawler.model import Kernel

ALONE = False


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    with tempfile.TemporaryDirectory() as scratch:
        state = arguments.state or Path(scratch)
        kernels = [
            kernel
            for folder in arguments.folders
            for kernel in draw_kernels(
                load_kernels(folder.resolve(), state), arguments.count, arguments.seed
            )
        ]

    records: list[dict[str, Any]] = []
    for kernel in kernels:
        record = measure_kernel(kernel, arguments.account)
        records.append(record)
        print(
            f"{len(records)}/{len(kernels)} {record['kernel']}: {record['status']}"
            f" {record['code']} ({record['processor']:.1f} s)",
            file=sys.stderr,
        )
        if arguments.records:
            with arguments.records.open("a") as opened:
                opened.write(json.dumps(record) + "\n")

    lines = list(format_report(records))
    print("\n".join(lines))
    if arguments.results:
        report.write_report(
            arguments.results,
            "What validations on the CPU cost",
            ["python", "-m", "benchmarks", "cpu_cost"],
            lines,
        )
    return 0


def draw_kernels(kernels: Sequence[Kernel], count: int, seed: int) -> list[Kernel]:
    """Return up to `count` kernels with units, each unit once, drawn by `seed`."""
    by_unit = {kernel.unit.digest: kernel for kernel in kernels if kernel.unit}
    candidates = [by_unit[digest] for digest in sorted(by_unit)]
    return random.Random(seed).sample(candidates, min(count, len(candidates)))


def measure_kernel(kernel: Kernel, account: Path) -> dict[str, Any]:
    """Run a kernel; return its verdict, and the seconds of the processor by step."""
    meter = StepMeter(lambda: used_cpu_seconds(account))
    with measure_steps(meter):
        before = used_cpu_seconds(account)
        with meter.enter("elsewhere", "python"):
            result, _ = run_kernel(kernel)
        seconds = used_cpu_seconds(account) - before

    steps = [
        {"phase": phase, "work": work, **asdict(cost)}
        for (phase, work), cost in meter.costs.items()
    ]
    return {"kernel": kernel.name, **result, "processor": seconds, "steps": steps}


def format_report(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the seconds of a kernel, then those of each step of all kernels."""
    seconds = sorted(record["processor"] for record in records)
    total = sum(seconds)
    yield (
        f"{len(seconds)} kernels: {statistics.median(seconds):.1f} s of the processor at the"
        f" median, {total / len(seconds):.1f} at the mean,"
        f" {seconds[math.ceil(0.9 * len(seconds)) - 1]:.1f} at the ninth decile."
    )
    yield ""
    yield from _format_steps(records, ("phase",), total)
    yield ""
    yield from _format_steps(records, ("work",), total)
    yield ""
    yield from _format_steps(records, ("phase", "work"), total)


def _format_steps(
    records: Sequence[Mapping[str, Any]], keys: Sequence[str], total: float
) -> Iterator[str]:
    sums: dict[tuple[str, ...], list[float]] = {}
    for record in records:
        for step in record["steps"]:
            row = sums.setdefault(tuple(step[key] for key in keys), [0.0] * 5)
            names = ("seconds", "own_seconds", "calls", "launches", "sandboxes")
            for number, name in enumerate(names):
                row[number] += step[name]

    rows = [
        (
            *names,
            f"{row[0] / len(records):.2f}",
            f"{row[0] / total:.0%}",
            f"{row[1] / len(records):.2f}",
            *(f"{number / len(records):.1f}" for number in row[2:]),
        )
        for names, row in sorted(sums.items(), key=lambda item: -item[1][0])
    ]
    columns = ("s a kernel", "share", "own s", "calls", "launches", "sandboxes")
    yield from report.format_table((*keys, *columns), rows)


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("cpu_cost", __doc__)
    parser.add_argument(
        "folders", nargs="+", type=Path, metavar="FOLDER", help="unpacked packages"
    )
    parser.add_argument(
        "--account",
        type=Path,
        required=True,
        help="cpuacct.usage of a group of processes that this one is in",
    )
    parser.add_argument("--state", type=Path, help="folder in which kernels are kept")
    parser.add_argument(
        "--count", type=int, default=25, help="how many kernels of a folder are run"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--records", type=Path, help="append one JSON object a kernel")
    add_results(parser)
    return parser.parse_args(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
