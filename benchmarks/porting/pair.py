"""Compare our port of CUDA sources with the HIP sources of the same project.

python -m benchmarks pair CUDA_DIR HIP_DIR [--target ARCH] [--limit N] [--results FILE]

Files are a pair where their paths differ only in `cuda` and `hip` and in how they end; both
folders may be the same.
Each pair is compared token by token, and line by line, without includes and with launches
written one way; then the
device side of both, theirs and ours, is compiled as far as errors of the language go.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.porting.compile_outcomes import generalise_message
from benchmarks.porting.source_comparison import SourcePair, compare_sources
from crawler.checkout.source_tree import open_tree
from crawler.port.source_tree import port_tree

ALONE = False
_DEVICE = re.compile(r"__global__|__device__|<<<|hipLaunchKernel")
_ENDS = (".hip.cpp", ".cu.hip", ".cu", ".hip", ".cuh", ".h", ".hpp", ".cpp")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    with tempfile.TemporaryDirectory() as folder:
        pairs = list(
            _iter_pairs(
                arguments.cuda, arguments.hip, Path(folder) / "ported", arguments
            )
        )
    lines = format_report(pairs, arguments.target)
    print("\n".join(lines))
    if arguments.results:
        names = [arguments.cuda.name, arguments.hip.name, "--target", arguments.target]
        report.write_report(
            arguments.results,
            "Our ports and a project's own",
            ["python", "-m", "benchmarks", "pair", *names],
            lines,
        )
    return 0


def _iter_pairs(
    cuda: Path, hip: Path, target: Path, arguments: argparse.Namespace
) -> Iterator[SourcePair]:
    file_pairs = find_pairs(cuda, hip)
    list(port_tree(open_tree(cuda.resolve()), target))
    for ours, theirs in file_pairs[:: max(1, len(file_pairs) // arguments.limit)]:
        pair = compare_sources(
            target / ours,
            hip / theirs,
            ours,
            arguments.target,
            further_headers=(cuda / ours).parent,
        )
        print(
            json.dumps(
                {"path": pair.path, "identical": pair.is_identical, **pair.problems}
            ),
            file=sys.stderr,
            flush=True,
        )
        yield pair


def find_pairs(cuda: Path, hip: Path) -> list[tuple[Path, Path]]:
    """Return the pairs of files with device code, as paths below the two folders."""
    ours = {
        _get_common_name(path): path
        for path in _find_sources(cuda)
        if "hip" not in str(path).lower()
    }
    theirs = {
        _get_common_name(path): path
        for path in _find_sources(hip)
        if "cuda" not in str(path).lower()
    }
    same = cuda.resolve() == hip.resolve()
    return [
        (ours[key], theirs[key])
        for key in sorted(ours)
        if key in theirs and not (same and ours[key] == theirs[key])
    ]


def _find_sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if (
            path.name.endswith(_ENDS)
            and path.is_file()
            and _DEVICE.search(path.read_text("utf-8", "replace"))
        ):
            yield path.relative_to(folder)


def _get_common_name(path: Path) -> str:
    name = next(str(path).removesuffix(end) for end in _ENDS if str(path).endswith(end))
    kind = "header" if path.suffix in (".cuh", ".h", ".hpp") else "source"
    return f"{kind} {re.sub('cuda|hip', '*', name, flags=re.IGNORECASE)}"


def format_report(pairs: Sequence[SourcePair], target: str) -> list[str]:
    """Return how near our ports come, how many compile, and why those of ours that do not."""
    if not pairs:
        return ["No file of one folder is a pair with one of the other."]
    compiled = [pair for pair in pairs if pair.problems]
    both = [pair for pair in compiled if not pair.problems["theirs"]]
    ours = [pair for pair in compiled if not pair.problems["ours"]]
    columns = [
        "pairs",
        "same tokens",
        "lines of theirs in ours, median",
        f"compiled for {target}",
        "ours",
        "theirs",
    ]
    median = (
        f"{100 * statistics.median(pair.shared_line_ratio for pair in pairs):.0f} %"
    )
    row = [
        len(pairs),
        sum(pair.is_identical for pair in pairs),
        median,
        len(compiled),
        len(ours),
        len(both),
    ]
    also_ours = sum(not pair.problems["ours"] for pair in both)
    lines = [
        *report.format_table(columns, [row]),
        "",
        f"Of the {len(both)} of theirs that compile, {also_ours} of ours do.",
    ]
    lines += [
        (
            "Same tokens: brackets, commas, `dim3` and `0` of launches are left out, since "
            "projects write launches two"
        )
    ]
    lines += [
        "ways. What neither side has (headers of a library that is not installed) fails on both.",
        "",
    ]
    failed = [
        (pair.path, pair.problems["ours"]) for pair in both if pair.problems["ours"]
    ]
    counted = Counter(generalise_message(problem) for _, problem in failed)
    for kind, number in counted.most_common(30):
        where = next(
            f"{path}: {problem}"
            for path, problem in failed
            if generalise_message(problem) == kind
        )
        lines.append(
            f"- {number} times {kind.replace('`', '')}, as in `{where.replace('`', '')}`"
        )
    return lines


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("pair", __doc__)
    parser.add_argument("cuda", type=Path, metavar="CUDA_DIR")
    parser.add_argument("hip", type=Path, metavar="HIP_DIR")
    parser.add_argument("--target", default="gfx90a")
    parser.add_argument(
        "--limit",
        type=int,
        default=1000,
        metavar="N",
        help="about so many pairs, spread over all",
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
