"""Estimate the share of all kernel definitions that runs on the CPU, from a seeded sample of
each package.

python -m benchmarks cpu_sample --folder DIR --state DIR [--count N] [--seed N] [--only NAME…]
[--seconds N]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.json_lines import read_json_lines
from benchmarks.validation.cpu_runs import (
    code_version,
    load_kernels,
    run_kernel,
    used_cpu_seconds,
)
from benchmarks.validation.cpu_runs_report import is_good
from benchmarks.validation.definition_sample import (
    Definition,
    allot_samples,
    draw_interleaved,
    estimate_share,
    find_kernel,
    load_definitions,
)
from crawler.model import Kernel

ALONE = False
NO_UNIT = "no-unit"


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
    lines = list(read_json_lines(_get_runs_file(arguments.state, arguments.seed)))
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
    lines = list(read_json_lines(_get_runs_file(arguments.state, arguments.seed)))
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


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("cpu_sample", __doc__)
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
    add_results(parser)
    return parser.parse_args(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
