"""Port every CUDA unit of packages and count those that compile for AMD and those classified as
unportable.

python -m benchmarks port [NAME…] [--folder DIR] [--state DIR] [--sample N] [--seed S]
[--targets LIST] [--code N]
    [--results FILE]

A unit counts where it compiles as CUDA for sm_80 or sm_90. All, or N of each package drawn by a
seed, are compiled as
far as errors of the language go (every instantiation, no code); one in which the report names
something unportable is
made into code that is not optimised, so as to see whether its kernels reach that; with `--code
N` so many of a package,
drawn likewise, are built in earnest: by clang for AMD, and for NVIDIA by the validators that
are here. What `--state`
holds is not done again, so that an interrupted run goes on where it stood; units may lie there
as `python -m benchmarks
units` left them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_folder, add_results, create_parser
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.porting.compile_outcomes import (
    CompileOutcome,
    CompileOutcomes,
    load_kernels,
    select_cuda_units,
)
from benchmarks.porting.port_report import (
    CUDA_TARGETS,
    REVIEW_SEED,
    PortedUnit,
    format_report,
    format_row,
    list_columns,
)
from crawler.model import Kernel, KernelUnit
from crawler.plugins import load_plugins
from crawler.port.port import port_unit

ALONE = False
AMD_TARGETS = ("gfx90a", "gfx942", "gfx1100", "gfx1201")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    outcomes = CompileOutcomes(arguments.state)
    units: list[PortedUnit] = []
    for name in arguments.names or corpus_versions():
        kernels = load_kernels(name, arguments.folder, arguments.state)
        units += _try_package(name, kernels, outcomes, arguments)
        print(
            json.dumps(
                dict(
                    zip(
                        list_columns(units),
                        format_row(name, units, name),
                        strict=True,
                    )
                )
            ),
            flush=True,
        )
    if arguments.results:
        report.write_report(
            arguments.results,
            "How many CUDA units compile as HIP",
            _format_command(arguments),
            format_report(units),
        )
    return 0


def _format_command(arguments: argparse.Namespace) -> list[str]:
    sample_options = ("--sample", str(arguments.sample)) if arguments.sample else ()
    code_options = ("--code", str(arguments.code)) if arguments.code else ()
    seed_options = (
        ("--seed", str(arguments.seed)) if sample_options or code_options else ()
    )
    return [
        "python",
        "-m",
        "benchmarks",
        "port",
        *arguments.names,
        *sample_options,
        *code_options,
        *seed_options,
    ]


def _try_package(
    name: str,
    kernels: Sequence[Kernel],
    outcomes: CompileOutcomes,
    arguments: argparse.Namespace,
) -> list[PortedUnit]:
    units = list(select_cuda_units(kernels).values())
    sampled_numbers = set(
        draw_sample(range(len(units)), arguments.sample or len(units), arguments.seed)
    )
    built_numbers = set(
        draw_sample(sorted(sampled_numbers), arguments.code, arguments.seed)
    )
    return [
        _try_unit(
            name, unit, outcomes, arguments.targets, sampled=number in built_numbers
        )
        for number, unit in enumerate(units)
        if number in sampled_numbers
    ]


def draw_sample(numbers: Sequence[int], count: int, seed: int) -> list[int]:
    """Return so many of the numbers, drawn at random; the same for the same seed."""
    return random.Random(seed).sample(numbers, min(count, len(numbers)))


def _try_unit(
    name: str,
    unit: KernelUnit,
    outcomes: CompileOutcomes,
    targets: Sequence[str],
    *,
    sampled: bool,
) -> PortedUnit:
    cuda: dict[str, CompileOutcome] = {}
    for target in CUDA_TARGETS:  # the newer only for what the older does not take
        if not any(outcome.passed for outcome in cuda.values()):
            cuda[target] = outcomes.parse_unit(unit, target)
    hip = port_unit(unit)
    assert hip.port_report is not None
    compiles = any(outcome.passed for outcome in cuda.values())
    ask = (
        outcomes.compile_reached_code
        if hip.port_report.blockers
        else outcomes.parse_unit
    )
    nvidia = [
        target for target in CUDA_TARGETS if target not in cuda or cuda[target].passed
    ]
    return PortedUnit(
        package=name,
        kernel=unit.kernel_name,
        classes=tuple(sorted({kind for kind, _ in hip.port_report.blockers})),
        cuda=cuda,
        hip={target: ask(hip, target) for target in targets} if compiles else {},
        code={
            **_build_in_earnest(hip, outcomes, targets),
            **_build_in_earnest(unit, outcomes, nvidia),
        }
        if compiles and sampled
        else {},
    )


def _build_in_earnest(
    unit: KernelUnit, outcomes: CompileOutcomes, targets: Sequence[str]
) -> dict[str, CompileOutcome]:
    """Return how builds in earnest end, by target and, beyond the first, by who builds."""
    outcomes_by_name = {}
    for validator in load_plugins("crawler.validate.compilers"):
        for target in validator.targets(unit.dialect):
            if target in targets:
                name = f"{target} {validator.name}"
                outcomes_by_name[name] = outcomes.build_unit(
                    unit, target, validator.name
                )
    return outcomes_by_name


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("port", __doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="packages of the corpus (default: all)"
    )
    add_folder(parser)
    parser.add_argument(
        "--state",
        type=Path,
        default=Path("build/port"),
        help="what was extracted and compiled before",
    )
    parser.add_argument(
        "--targets",
        type=lambda text: text.split(","),
        default=list(AMD_TARGETS),
        metavar="LIST",
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=0,
        metavar="N",
        help="so many units of each package (else all)",
    )
    parser.add_argument(
        "--code",
        type=int,
        default=0,
        metavar="N",
        help="build so many of each in earnest, too",
    )
    parser.add_argument(
        "--seed", type=int, default=REVIEW_SEED, help="what samples are drawn by"
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
