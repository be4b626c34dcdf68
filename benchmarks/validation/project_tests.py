"""Run projects' own tests with their kernels on the CPU model, and say what came of each project.

python -m benchmarks project_tests PYTHON FOLDER… [--records FILE]

PYTHON has a CPU build of PyTorch (`deploy/torch-venv`), each FOLDER is a checkout at a tag. A
project is reported as it comes, whether or not anything was mended since it was first seen.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from crawler.checkout.source_tree import open_tree
from crawler.validate.suites.suite_report import SuiteReport, observe_suite
from crawler.validate.suites.torch_environment import (
    TorchEnvironment,
    open_torch_environment,
)

ALONE = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectOutcome:
    """What came of a project's tests."""

    project: str
    code: str
    """Why no kernel was seen; else empty."""
    modules: int
    """Extension modules that were built."""
    broken: int
    """Extension modules that were not."""
    outcomes: dict[str, int]
    """Tests by their outcome."""
    launching: int
    """Tests that launch a kernel."""
    kernels: int
    """Kernels that were launched."""
    checked_kernels: int
    """Those with an instantiation whose results a test looks at."""
    instantiations: int
    """Instantiations that were launched; a kernel that is no template counts as one."""
    checked: int
    """Those whose results a test looks at."""
    faults: tuple[str, ...]
    """Place and fault of each instantiation that goes wrong."""
    seconds: float
    """By the clock, for building and all runs."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    environment = open_torch_environment(str(arguments.python))
    outcomes: list[ProjectOutcome] = []

    for folder in arguments.folders:
        outcome = try_project(folder, environment)
        outcomes.append(outcome)
        print(f"{outcome.project}: {outcome.outcomes}", file=sys.stderr)
        if arguments.records:
            with arguments.records.open("a") as records:
                records.write(json.dumps(asdict(outcome)) + "\n")

    lines = list(format_report(outcomes, environment.version))
    print("\n".join(lines))
    if arguments.results:
        report.write_report(
            arguments.results,
            "Projects' own tests on the CPU model",
            ["python", "-m", "benchmarks", "project_tests"],
            lines,
        )
    return 0


def try_project(folder: Path, environment: TorchEnvironment) -> ProjectOutcome:
    """Build a project and run its tests, and say what came of them."""
    start = time.monotonic()
    observed = observe_suite(
        open_tree(folder), environment, lambda line: print(line, file=sys.stderr)
    )
    return summarise(folder.resolve().name, observed, time.monotonic() - start)


def summarise(project: str, observed: SuiteReport, seconds: float) -> ProjectOutcome:
    """Return the figures of a report."""
    checked = [kernel for kernel in observed.kernels if kernel.checking_test]
    return ProjectOutcome(
        project=project,
        code=observed.code,
        modules=len(observed.modules),
        broken=len(observed.broken),
        outcomes=observed.outcomes,
        launching=observed.launching,
        kernels=len({kernel.place for kernel in observed.kernels}),
        checked_kernels=len({kernel.place for kernel in checked}),
        instantiations=len(observed.kernels),
        checked=len(checked),
        faults=tuple(
            f"{kernel.place.path}:{kernel.place.line} {kernel.arguments}: {kernel.fault.message}"
            for kernel in observed.kernels
            if kernel.fault is not None
        ),
        seconds=round(seconds, 1),
    )


def format_report(outcomes: Sequence[ProjectOutcome], version: str) -> Iterator[str]:
    """Yield the lines of a table, a project a row, and the faults behind it."""
    yield f"With PyTorch {version}."
    yield ""
    yield (
        "| project | modules | tests | launch kernels | kernels launched, checked |"
        " instantiations launched, checked | seconds |"
    )
    yield "|---|---|---|---|---|---|---|"
    for outcome in outcomes:
        tests = ", ".join(f"{count} {name}" for name, count in outcome.outcomes.items())
        yield (
            f"| {outcome.project} | {outcome.modules} of {outcome.modules + outcome.broken} |"
            f" {outcome.code or tests} | {outcome.launching} |"
            f" {outcome.kernels}, {outcome.checked_kernels} |"
            f" {outcome.instantiations}, {outcome.checked} | {outcome.seconds:.0f} |"
        )

    for outcome in outcomes:
        for fault in outcome.faults:
            yield ""
            yield f"- {outcome.project}: {fault}"


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("project_tests", __doc__)
    parser.add_argument("python", type=Path)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--records", type=Path)
    add_results(parser)
    return parser.parse_args(argv)
