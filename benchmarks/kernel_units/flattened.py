"""Replace templates by their template-free texts and count the units that still compile.

python -m benchmarks flattened [NAME…] [--folder DIR] [--each N] [--results FILE]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_folder, add_results, create_parser
from benchmarks.corpus.compile_db import fetch_package
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.extraction.launches import extract_facts
from crawler.dataset.texts.flatten import Flat, flatten_kernel, insert_into_unit
from crawler.extract.link import link_kernels
from crawler.model import Instantiation, Kernel, Status
from crawler.validate.build import build_unit

_TARGET = "sm_80"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlattenedKernel:
    """One instantiation, and what became of its text."""

    kernel: str
    label: str
    problem: str = ""
    """Empty where it compiles."""
    is_template_broken: bool = False
    """Whether its template's unit does not compile either."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    lines: list[str] = []
    for name in arguments.names or ["mmcv"]:
        with tempfile.TemporaryDirectory() as scratch:
            root = fetch_package(
                name, corpus_versions()[name], arguments.folder, Path(scratch)
            )
            flattened = list(
                flatten_kernels(link_kernels(extract_facts(root)), arguments.each)
            )
        print(
            json.dumps(
                {
                    "package": name,
                    "flattened": len(flattened),
                    "compile": sum(not kernel.problem for kernel in flattened),
                }
            )
        )
        lines += [*format_report(name, flattened), ""]
    if arguments.results:
        command = report.describe_command("flattened", argv)
        report.write_report(
            arguments.results, "Kernels without their templates", command, lines
        )
    return 0


def flatten_kernels(
    kernels: Iterable[Kernel], per_kernel: int
) -> Iterator[FlattenedKernel]:
    """Yield what becomes of the first and last instantiations of each template that has a unit,
    `per_kernel` at most.
    """
    for kernel in kernels:
        if kernel.unit is None or not kernel.template_head:
            continue
        instantiations = kernel.unit.instantiations
        chosen = [
            instantiations[index * (len(instantiations) - 1) // max(1, per_kernel - 1)]
            for index in range(min(per_kernel, len(instantiations)))
        ]
        for instantiation in dict.fromkeys(chosen):
            problem = find_compile_problem(
                kernel, flatten_kernel(kernel, instantiation)
            )
            broken = (
                bool(problem)
                and build_unit(kernel.unit, _TARGET).build.pass_call.status
                is not Status.PASS
            )
            yield FlattenedKernel(
                kernel=kernel.name,
                label=instantiation.label,
                problem=problem,
                is_template_broken=broken,
            )


def find_compile_problem(kernel: Kernel, flat_kernel: Flat) -> str:
    """Return why a template-free kernel does not compile in its unit; empty where it does."""
    text = insert_into_unit(flat_kernel, kernel) if flat_kernel.source else ""
    if not text or kernel.unit is None:
        return flat_kernel.problem or "the unit does not hold the kernel's text"
    scope = kernel.qualified_name.rpartition("::")[0]
    unit = replace(
        kernel.unit,
        source=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        kernel_name=f"{scope}::{flat_kernel.name}" if scope else flat_kernel.name,
        instantiations=(Instantiation(arguments=(), label=""),),
    )
    verdict = build_unit(unit, _TARGET).build.pass_call
    return "" if verdict.status is Status.PASS else verdict.message or verdict.code


def format_report(name: str, flattened_kernels: Sequence[FlattenedKernel]) -> list[str]:
    """Return how many compile, and why the others do not."""
    good = sum(not kernel.problem for kernel in flattened_kernels)
    broken = sum(kernel.is_template_broken for kernel in flattened_kernels)
    kernels = len({kernel.kernel for kernel in flattened_kernels})
    lines = [
        f"{name}: {good} of {len(flattened_kernels)} template-free texts of {kernels} "
        f"kernels compile for {_TARGET} in "
        f"place of their templates; of the others, {broken} have a unit that does not "
        "compile with its template either."
    ]
    reasons = Counter(
        kernel.problem
        for kernel in flattened_kernels
        if kernel.problem and not kernel.is_template_broken
    )
    return [
        *lines,
        "",
        *(f"- {number}: `{reason}`" for reason, number in reasons.most_common(20)),
    ]


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("flattened", __doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="packages of the corpus (default: mmcv)",
    )
    add_folder(parser)
    parser.add_argument(
        "--each",
        type=int,
        default=2,
        metavar="N",
        help="instantiations a kernel (default: 2)",
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
