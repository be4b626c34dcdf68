"""Draw a sample of all kernel definitions and estimate the share of good ones from it."""

from __future__ import annotations

import csv
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus.recall import TRUE_KERNELS
from benchmarks.validation.cpu_runs_report import is_good
from crawler.model import Kernel

_LEAST = 3
"""Definitions that are drawn of a package, where it has so many."""


_DEVIATIONS = 1.96


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
