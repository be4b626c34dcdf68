"""Crawl packages of the corpus from nothing and compare the index with the true list.

python -m benchmarks corpus [--smoke | --all | NAME…] [--results FILE]
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_corpus_choice, add_results, create_parser
from benchmarks.corpus.recall import TRUE_KERNELS, measure_recall

SMOKE_PACKAGES = (
    "torch_scatter",
    "torch_cluster",
    "torch_sparse",
    "torch_spline_conv",
    "causal_conv1d",
)
KERNELSET_PROGRAM = Path(sys.executable).parent / "kernelset"


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)

    def measure(name: str, version: str, home: Path) -> dict[str, Any]:
        return measure_package(f"pypi:{name}=={version}", name, home)

    lines = measure_packages(arguments, measure)
    if arguments.results:
        command = report.describe_command("corpus", argv)
        report.write_report(
            arguments.results,
            "What is found in packages, and how fast",
            command,
            format_report(lines),
        )
    return 0


def measure_packages(
    arguments: argparse.Namespace,
    measure: Callable[[str, str, Path], dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return what `measure` makes of each package that was asked for, and print it.

    It is given the package's name and version, and an empty folder that is removed afterwards.
    """
    versions = corpus_versions()
    lines = []
    for name in choose_packages(arguments, versions):
        with tempfile.TemporaryDirectory() as folder:
            line = measure(name, versions[name], Path(folder))
        print(json.dumps(line), flush=True)
        lines.append(line)
    return lines


def format_report(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return what was measured as a table, and below it what was missed."""
    targets = sorted({target for line in lines for target in line["pass_call"]})
    columns = [
        "package",
        "exit codes",
        "seconds, again",
        "found of true",
        "by AST",
        "kernels",
        "units",
    ]
    rows = [
        [
            line["locator"],
            ", ".join(map(str, line["exit_codes"])),
            " s, ".join(map(str, line["seconds"])) + " s",
            f"{line['found']} of {line['truth']}",
            line["by_ast"],
            line["rows"],
            line["units"],
            *(_format_share(line["pass_call"].get(target, {})) for target in targets),
            ", ".join(f"{code} {number}" for code, number in line["reasons"]) or "none",
        ]
        for line in lines
    ]
    missed = [
        f"- {line['locator']} misses `{kernel_name}`"
        for line in lines
        for kernel_name in line["missing"]
    ]
    false = [
        f"- {line['locator']} shows `{kernel_name}`, which nothing explains"
        for line in lines
        for kernel_name in line["unknown"]
    ]
    head = [*columns, *(f"passes {target}" for target in targets), "reasons"]
    return [*report.format_table(head, rows), "", *missed, *false]


def _format_share(statuses: dict[str, int]) -> str:
    return f"{statuses.get('pass', 0)} of {sum(statuses.values())}"


def measure_package(locator: str, package: str, home: Path) -> dict[str, Any]:
    """Crawl twice into an empty `home`; return recall, yields and seconds."""
    first, second = (
        _run_timed("crawl", locator, home=home),
        _run_timed("crawl", locator, home=home),
    )
    rows = list(_query_rows(home))
    compared = measure_recall(rows, package)
    return {
        "locator": locator,
        "exit_codes": [first[0], second[0]],
        "seconds": [round(first[1], 1), round(second[1], 1)],
        "truth": compared.truth,
        "found": compared.found,
        "by_ast": compared.by_ast,
        "missing": compared.missing[:10],
        "unknown": compared.unknown[:10],
        "explained": compared.explained,
        "rows": len(rows),
        "units": sum(bool(row["digest"]) for row in rows),
        "pass_call": _count_statuses(rows),
        "reasons": Counter(
            reason.split(":")[0] for row in rows for reason in row["reasons"]
        ).most_common(12),
    }


def _count_statuses(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    counted: dict[str, Counter[str]] = {}
    for row in rows:
        for target, status in row["pass_call"].items():
            counted.setdefault(target, Counter())[status] += 1
    return {target: dict(counts) for target, counts in sorted(counted.items())}


def _query_rows(home: Path) -> Iterator[dict[str, Any]]:
    printed = _run_program("query", "--json", home=home).stdout
    return (json.loads(line) for line in printed.splitlines())


def _run_timed(*verb: str, home: Path) -> tuple[int, float]:
    began = time.monotonic()
    ended = _run_program(*verb, home=home)
    if ended.returncode:
        print(ended.stderr, file=sys.stderr)
    return ended.returncode, time.monotonic() - began


def _run_program(*verb: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KERNELSET_HOME": str(home)}
    return subprocess.run(
        [KERNELSET_PROGRAM, *verb],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def corpus_versions() -> dict[str, str]:
    with TRUE_KERNELS.open() as opened:
        return {
            row["package"]: row["version"]
            for row in csv.DictReader(opened, delimiter="\t")
        }


def choose_packages(
    arguments: argparse.Namespace, versions: Mapping[str, str]
) -> list[str]:
    """Return the packages that `--all`, `--smoke` or names ask for; mmcv if nothing does."""
    if arguments.all:
        return list(versions)
    if arguments.smoke:
        return list(SMOKE_PACKAGES)
    return arguments.names or ["mmcv"]


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("corpus", __doc__)
    add_corpus_choice(parser)
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
