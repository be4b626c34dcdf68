"""Hold two checkouts of this project against each other: the same units, ports and rows?

python -m benchmarks identity BEFORE AFTER [PACKAGE…] [--files N --corpus FOLDER --seed S]
    [--file-seconds S] [--kept FILE] [--results FILE]

BEFORE and AFTER are checkouts in which `make setup` was run. Each package is crawled from nothing
by both, and what they export is compared byte for byte; so is what `extract` and `port` write for
files that a seed draws from the unpacked packages in FOLDER. Both crawls run at once, and the two
checkouts take turns at a file, so that other work on the machine slows both and their ratio says
whether the later checkout is slower. What was compared is kept in the file of `--kept`, where a
run that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.corpus.checkout import Checkout
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.corpus.recall import TRUE_KERNELS
from benchmarks.json_lines import read_json_lines

ALONE = False
PACKAGES = ("torch_scatter", "torch_cluster", "lightgbm", "mmcv")
RUN_ON_CPU = frozenset({"torch_scatter", "torch_cluster"})
"""Packages that are small enough to have their kernels run as well."""
FILE_SECONDS = 900.0


@dataclass(slots=True, kw_only=True)
class Comparison:
    """What two checkouts made of one package, or of one file or all that were drawn."""

    subject: str
    compared: int = 0
    differing: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    """Files for which one of the checkouts took too long."""
    seconds_before: float = 0.0
    seconds_after: float = 0.0

    @property
    def ratio(self) -> float:
        """Seconds of the later checkout for one of the earlier."""
        return self.seconds_after / max(self.seconds_before, 1e-9)

    def add(self, other: Comparison) -> None:
        """Count another comparison in."""
        self.compared += other.compared
        self.differing += other.differing
        self.unfinished += other.unfinished
        self.seconds_before += other.seconds_before
        self.seconds_after += other.seconds_after


class KeptComparisons:
    """Comparisons of a run and of earlier ones, in a file that grows by a line each."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = read_json_lines(path) if path else ()
        self._by_subject = {line["subject"]: Comparison(**line) for line in lines}

    def get(self, subject: str) -> Comparison | None:
        """Return what an earlier run found of a subject, if one did."""
        return self._by_subject.get(subject)

    def keep(self, comparison: Comparison) -> Comparison:
        """Append a comparison to the file, and return it."""
        if self._path:
            with self._path.open("a") as opened:
                opened.write(json.dumps(asdict(comparison)) + "\n")
        return comparison


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    kept_comparisons = KeptComparisons(arguments.kept)
    before, after = Checkout(arguments.before), Checkout(arguments.after)
    comparisons = []
    for package in arguments.packages or PACKAGES:
        compared = kept_comparisons.get(package)
        compared = compared or kept_comparisons.keep(
            compare_crawls(before, after, package)
        )
        comparisons.append(compared)
        print(_summary(compared), flush=True)
    if arguments.files:
        files = draw_files(arguments.corpus, arguments.files, arguments.seed)
        seconds = arguments.file_seconds
        comparisons.append(
            compare_files(before, after, files, kept_comparisons, seconds)
        )
        print(_summary(comparisons[-1]), flush=True)
    lines = format_report(comparisons)
    print("\n".join(lines))
    if arguments.results:
        _write_report(arguments, lines)
    return 1 if any(comparison.differing for comparison in comparisons) else 0


def compare_crawls(before: Checkout, after: Checkout, package: str) -> Comparison:
    """Crawl a package of the corpus with both checkouts and compare all that they export."""
    comparison = Comparison(subject=package)
    locator = f"pypi:{package}=={corpus_versions()[package]}"
    options = ("--device", "cpu") if package in RUN_ON_CPU else ()
    with (
        tempfile.TemporaryDirectory() as scratch,
        ThreadPoolExecutor(max_workers=2) as threads,
    ):
        homes = Path(scratch, "before"), Path(scratch, "after")
        crawls = [
            threads.submit(checkout.crawl, locator, home, *options)
            for checkout, home in zip((before, after), homes, strict=True)
        ]
        comparison.seconds_before = crawls[0].result()
        comparison.seconds_after = crawls[1].result()
        rows_before = before.export_rows(homes[0])
        rows_after = after.export_rows(homes[1])
    for row_id in sorted(rows_before.keys() | rows_after.keys()):
        comparison.compared += 1
        if rows_before.get(row_id) != rows_after.get(row_id):
            keys = _differing_keys(rows_before.get(row_id), rows_after.get(row_id))
            comparison.differing.append(f"{row_id}: {', '.join(keys)}")
    return comparison


def compare_files(
    before: Checkout,
    after: Checkout,
    files: Sequence[Path],
    kept_comparisons: KeptComparisons | None = None,
    seconds: float = FILE_SECONDS,
) -> Comparison:
    """Extract and port each file with both checkouts and compare all that they write.

    Small files come first, so that a run that is interrupted has compared many.
    """
    kept_comparisons = kept_comparisons or KeptComparisons(None)
    total = Comparison(subject=f"{len(files)} drawn files")
    for path in sorted(files, key=lambda path: (path.stat().st_size, path)):
        compared = kept_comparisons.get(str(path))
        if not compared:
            # Whoever comes second reads files that are in memory by then.
            is_turned = total.compared % 2 == 1
            compared = _compare_file(before, after, path, seconds, is_turned=is_turned)
            kept_comparisons.keep(compared)
        total.add(compared)
    return total


def _compare_file(
    before: Checkout, after: Checkout, path: Path, seconds: float, *, is_turned: bool
) -> Comparison:
    comparison = Comparison(subject=str(path))
    outputs: dict[Checkout, dict[str, bytes]] = {}
    elapsed: dict[Checkout, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for checkout in (after, before) if is_turned else (before, after):
            started = time.monotonic()
            try:
                written = checkout.extract_and_port(path, Path(scratch), seconds)
            except subprocess.TimeoutExpired:
                comparison.unfinished.append(path.name)
                return comparison
            outputs[checkout] = written
            elapsed[checkout] = time.monotonic() - started
    comparison.seconds_before, comparison.seconds_after = (
        elapsed[before],
        elapsed[after],
    )
    comparison.compared = 1
    names = sorted(outputs[before].keys() | outputs[after].keys())
    changed = [
        name for name in names if outputs[before].get(name) != outputs[after].get(name)
    ]
    if changed:
        comparison.differing.append(f"{path.name}: {', '.join(changed[:5])}")
    return comparison


def draw_files(corpus: Path, count: int, seed: int) -> list[Path]:
    """Return `count` files with kernels, drawn by a seed from the packages that are not crawled.

    The same seed draws the same files. Raises `FileNotFoundError` where a package is not unpacked
    below `corpus` as NAME-VERSION.
    """
    with TRUE_KERNELS.open() as opened:
        rows = list(csv.DictReader(opened, delimiter="\t"))
    places = sorted(
        {
            (f"{row['package']}-{row['version']}", row["path"])
            for row in rows
            if row["package"] not in PACKAGES and not row["path"].endswith(".py")
        }
    )
    drawn = random.Random(seed).sample(places, count)
    return [_locate(corpus, package, path) for package, path in drawn]


def _locate(corpus: Path, package: str, path: str) -> Path:
    for root in (corpus / package, corpus / package / package):
        if (root / path).is_file():
            return root / path
    raise FileNotFoundError(
        f"{path} of {package} is not below {corpus}: unpack the package there"
    )


def _differing_keys(
    row_before: dict[str, Any] | None, row_after: dict[str, Any] | None
) -> Iterator[str]:
    if row_before is None or row_after is None:
        yield "only after" if row_before is None else "only before"
        return
    for key in sorted(row_before.keys() | row_after.keys()):
        if row_before.get(key) != row_after.get(key):
            yield key


def format_report(comparisons: Sequence[Comparison]) -> list[str]:
    """Return a table, a line a subject, and below it what differs or took too long."""
    columns = ["subject", "compared", "differ", "unfinished"]
    columns += ["seconds before", "seconds after", "ratio"]
    rows = [
        [
            comparison.subject,
            comparison.compared,
            len(comparison.differing),
            len(comparison.unfinished),
            f"{comparison.seconds_before:.0f}",
            f"{comparison.seconds_after:.0f}",
            f"{comparison.ratio:.2f}",
        ]
        for comparison in comparisons
    ]
    notes = []
    for comparison in comparisons:
        notes += [f"- {text}" for text in comparison.differing]
        notes += [f"- unfinished: {name}" for name in comparison.unfinished]
    return [*report.format_table(columns, rows), "", *notes]


def _summary(comparison: Comparison) -> str:
    differing_count = len(comparison.differing)
    return f"{comparison.subject}: {comparison.compared} compared, {differing_count} differ"


def _write_report(arguments: argparse.Namespace, lines: Sequence[str]) -> None:
    words = ["BEFORE", "AFTER", *(arguments.packages or PACKAGES)]
    words += ["--files", str(arguments.files), "--seed", str(arguments.seed)]
    command = ["python", "-m", "benchmarks", "identity", *words]
    report.write_report(arguments.results, "The same bytes as before", command, lines)


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("identity", __doc__)
    parser.add_argument(
        "before", type=Path, metavar="BEFORE", help="the earlier checkout"
    )
    parser.add_argument("after", type=Path, metavar="AFTER", help="the later checkout")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="of the corpus")
    parser.add_argument(
        "--files", type=int, default=0, metavar="N", help="files to draw, too"
    )
    parser.add_argument("--corpus", type=Path, help="where packages lie unpacked")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the draw")
    parser.add_argument(
        "--file-seconds",
        type=float,
        default=FILE_SECONDS,
        metavar="S",
        help="how long extract or port may take for a file",
    )
    parser.add_argument("--kept", type=Path, metavar="FILE", help="to go on from")
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
