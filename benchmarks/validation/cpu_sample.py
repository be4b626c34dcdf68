"""Estimate the share of all kernel definitions that runs on the CPU, from a seeded sample of
each package.

python -m benchmarks cpu_sample --folder DIR --state DIR [--count N] [--seed N] [--only NAME…]
[--seconds N]
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.corpus.recall import TRUE_KERNELS
from benchmarks.validation.cpu_runs import (
    code_version,
    is_good,
    load_kernels,
    run_kernel,
    used_cpu_seconds,
)
from crawler.model import Kernel

ALONE = False
_LEAST = 3
"""Definitions that are drawn of a package, where it has so many."""
_DEVIATIONS = 1.96
NO_UNIT = "no-unit"


@dataclass(frozen=True, slots=True, order=True)
class Definition:
    """One row of the true list."""

    package: str
    path: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share of all definitions with its interval of 95 %, where packages that were not run
    count as not reached.
    """

    share: float
    lower_bound: float
    upper_bound: float
    unsampled_share: float
    """The share of definitions in packages that were not run: were all of those good, it would
    be added.
    """


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    versions = corpus_versions()
    all_definitions = load_definitions()
    chosen = {
        package: all_definitions[package]
        for package in arguments.only or all_definitions
    }
    drawn = draw_interleaved(
        chosen, allot_samples(chosen, arguments.count), arguments.seed
    )
    for line in _run_drawn(drawn, versions, arguments):
        print(json.dumps(line), flush=True)
    lines = list(_read_runs(arguments.state, arguments.seed))
    print("\n".join(format_report(all_definitions, lines)))
    if arguments.results:
        command = [
            "python",
            "-m",
            "benchmarks",
            "cpu_sample",
            "--seed",
            str(arguments.seed),
        ]
        report.write_report(
            arguments.results,
            "A sample of all kernels, run on the CPU",
            command,
            format_report(all_definitions, lines),
        )
    return 0


def load_definitions(truth: Path = TRUE_KERNELS) -> dict[str, list[Definition]]:
    """Return the true definitions of each package."""
    by_package = defaultdict(list)
    with truth.open() as opened:
        for row in csv.DictReader(opened, delimiter="\t"):
            by_package[row["package"]].append(
                Definition(
                    row["package"], row["path"], int(row["line"]), row["kernel_name"]
                )
            )
    return {package: sorted(rows) for package, rows in sorted(by_package.items())}


def allot_samples(
    chosen: Mapping[str, Sequence[Definition]], count: int
) -> dict[str, int]:
    """Return how many definitions of each package are drawn: in proportion, but few of none."""
    total = sum(map(len, chosen.values()))
    return {
        package: min(len(rows), max(_LEAST, round(count * len(rows) / total)))
        for package, rows in chosen.items()
    }


def draw_interleaved(
    chosen: Mapping[str, Sequence[Definition]], counts: Mapping[str, int], seed: int
) -> list[Definition]:
    """Return what is drawn so that each beginning of it is a sample of all packages, too."""
    placed = []
    for package, rows in chosen.items():
        drawn = random.Random(f"{seed}:{package}").sample(list(rows), counts[package])
        placed += [
            ((index + 0.5) / len(drawn), definition)
            for index, definition in enumerate(drawn)
        ]
    return [definition for _, definition in sorted(placed)]


def find_kernel(definition: Definition, kernels: Iterable[Kernel]) -> Kernel | None:
    """Return the kernel that stands where a true definition does; of several, one with a unit,
    then the nearest.
    """
    same = [
        kernel
        for kernel in kernels
        if kernel.name.partition("<")[0].rpartition("::")[2] == definition.name
        and (
            definition.path.endswith(kernel.span.path)
            or kernel.span.path.endswith(definition.path)
        )
    ]
    return min(
        same,
        key=lambda kernel: (
            kernel.unit is None,
            abs(kernel.span.line - definition.line),
        ),
        default=None,
    )


def estimate_share(
    all_definitions: Mapping[str, Sequence[Definition]],
    lines: Iterable[Mapping[str, Any]],
) -> Estimate:
    """Return the share of all definitions that are good, by what was drawn of each package."""
    verdicts = defaultdict(list)
    for line in lines:
        verdicts[line["package"]].append(is_good(line))
    total = sum(map(len, all_definitions.values()))
    share = variance = unsampled_weight = 0.0
    for package, rows in all_definitions.items():
        weight, package_verdicts = len(rows) / total, verdicts[package]
        if not package_verdicts:
            unsampled_weight += weight
            continue
        share += weight * sum(package_verdicts) / len(package_verdicts)
        # one more of each: a package of which all that was drawn is good is not known to be
        # good for certain
        middle = (sum(package_verdicts) + 1) / (len(package_verdicts) + 2)
        unsampled = 1 - len(package_verdicts) / len(rows)
        variance += (
            weight**2 * middle * (1 - middle) / len(package_verdicts) * unsampled
        )
    margin = _DEVIATIONS * math.sqrt(variance)
    return Estimate(
        share, max(0.0, share - margin), min(1.0, share + margin), unsampled_weight
    )


def format_report(
    all_definitions: Mapping[str, Sequence[Definition]],
    lines: Sequence[Mapping[str, Any]],
) -> list[str]:
    """Return the report: what comes of each package, the share of all, and why others fall
    short.
    """
    estimate = estimate_share(all_definitions, lines)
    by_package = defaultdict(list)
    for line in lines:
        by_package[line["package"]].append(line)
    rows = [
        (
            package,
            len(definitions),
            len(by_package[package]),
            sum(map(is_good, by_package[package])),
            _format_codes(by_package[package]),
        )
        for package, definitions in all_definitions.items()
    ]
    reasons = Counter(
        f"{line['behaviour']}: {line['code']}" for line in lines if not is_good(line)
    )
    return [
        f"{100 * estimate.share:.0f} % of all {sum(map(len, all_definitions.values()))} "
        "definitions (95 % interval "
        f"{100 * estimate.lower_bound:.0f} to {100 * estimate.upper_bound:.0f}) are "
        "deterministic, or not by atomics alone,",
        (
            f"with six cases that tell something. {100 * estimate.unsampled_share:.0f} % of "
            "the definitions stand in packages of which"
        ),
        "none was drawn: they count as not reached.",
        "",
        *report.format_table(
            ("Package", "definitions", "drawn", "with six cases", "why others are not"),
            rows,
        ),
        "",
        *report.format_table(("Behaviour: code", "definitions"), reasons.most_common()),
    ]


def _format_codes(lines: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(
        f"{code} {count}" for code, count in _count_codes(lines).most_common()
    )


def _count_codes(lines: Iterable[Mapping[str, Any]]) -> Counter[str]:
    return Counter(line["code"] for line in lines if not is_good(line))


def _run_drawn(
    drawn: Sequence[Definition],
    versions: Mapping[str, str],
    arguments: argparse.Namespace,
) -> Iterator[dict[str, Any]]:
    """Yield what comes of what is drawn and not known yet; a unit that several definitions
    share runs once.
    """
    lines = list(_read_runs(arguments.state, arguments.seed))
    done = {(line["package"], line["path"], line["line"]) for line in lines}
    units = {line["unit"]: line for line in lines if line["of"] == code_version()}
    until = time.monotonic() + arguments.seconds
    kernels: dict[str, tuple[Kernel, ...]] = {}
    with _get_runs_file(arguments.state, arguments.seed).open("a") as opened:
        for definition in drawn:
            if (
                definition.package,
                definition.path,
                definition.line,
            ) in done or time.monotonic() > until:
                continue
            root = (
                arguments.folder
                / f"{definition.package}-{versions[definition.package]}"
            )
            if definition.package not in kernels:
                kernels[definition.package] = load_kernels(
                    root.resolve(), arguments.state
                )
            kernel = find_kernel(definition, kernels[definition.package])
            result = _run_or_reuse(kernel, units, arguments)
            line = {
                "package": definition.package,
                "path": definition.path,
                "line": definition.line,
                "kernel": definition.name,
                **result,
            }
            units[line["unit"]] = line
            opened.write(json.dumps(line) + "\n")
            opened.flush()
            yield line


def _run_or_reuse(
    kernel: Kernel | None,
    units: Mapping[str, dict[str, Any]],
    arguments: argparse.Namespace,
) -> dict[str, Any]:
    """Return what comes of a kernel; what has no unit is not reached."""
    if kernel is None or kernel.unit is None:
        code = "not-found" if kernel is None else kernel.unit_problem.partition(":")[0]
        return {
            "unit": "",
            "of": code_version(),
            "behaviour": NO_UNIT,
            "code": code,
            "message": "",
            "cases": 0,
        }
    earlier_run = units.get(kernel.unit.digest)
    if earlier_run is not None:
        return {
            name: earlier_run[name]
            for name in earlier_run
            if name not in ("package", "path", "line", "kernel")
        }
    before = used_cpu_seconds(arguments.account)
    result = run_kernel(kernel)[0]
    return {**result, "processor": used_cpu_seconds(arguments.account) - before}


def _get_runs_file(state: Path, seed: int) -> Path:
    return state / f"sample-{seed}.jsonl"


def _read_runs(state: Path, seed: int) -> Iterator[dict[str, Any]]:
    path = _get_runs_file(state, seed)
    if path.exists():
        yield from (
            json.loads(line)
            for line in path.read_text().splitlines()
            if line.endswith("}")
        )


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks cpu_sample",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument(
        "--folder",
        type=Path,
        required=True,
        help="where the unpacked packages lie, as NAME-VERSION",
    )
    parser.add_argument(
        "--state",
        type=Path,
        required=True,
        help="folder in which kernels and runs are kept",
    )
    parser.add_argument(
        "--only", nargs="+", default=(), help="draw of these packages alone"
    )
    parser.add_argument(
        "--count", type=int, default=150, help="how many definitions are drawn, in all"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=1e9, help="begin no kernel after so long"
    )
    parser.add_argument(
        "--account",
        type=Path,
        help="cpuacct.usage of this group: measure the processor's time",
    )
    parser.add_argument("--results", type=Path, help="file of the report")
    return parser.parse_args(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
