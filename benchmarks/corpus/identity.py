"""Hold two checkouts of this project against each other: the same units, ports and rows?

python -m benchmarks identity BEFORE AFTER [PACKAGE…] [--files N --corpus FOLDER --seed S]
    [--results FILE]

BEFORE and AFTER are checkouts in which `make setup` was run. Each package is crawled from nothing
by both, one after the other, and what they export is compared byte for byte; so is what `extract`
and `port` write for files that a seed draws from the unpacked packages in FOLDER. Seconds of both
crawls are of one run, so their ratio says whether the later checkout is slower.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.corpus.recall import TRUE_KERNELS

ALONE = False
PACKAGES = ("torch_scatter", "torch_cluster", "lightgbm", "mmcv")
RUN_ON_CPU = frozenset({"torch_scatter", "torch_cluster"})
"""Packages that are small enough to have their kernels run as well."""
VARYING_KEYS = frozenset({"seconds", "cpu_seconds", "strength", "stages"})
"""Keys of a row that hold a time, what could be tried within one (mutants of a kernel), or the
version of the program."""
FILE_TIMEOUT_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout of this project with its own virtual environment."""

    folder: Path

    def run(self, *words: str, home: Path) -> subprocess.CompletedProcess[str]:
        """Run `kernelset` of this checkout with its state under `home`."""
        return subprocess.run(
            [str(self.folder / ".venv" / "bin" / "kernelset"), *words],
            env={**os.environ, "KERNELSET_HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
            timeout=FILE_TIMEOUT_SECONDS * 4,
        )


@dataclass(slots=True, kw_only=True)
class Comparison:
    """What two checkouts made of one package, or of the drawn files."""

    subject: str
    compared: int = 0
    differing: list[str] = field(default_factory=list)
    seconds_before: float = 0.0
    seconds_after: float = 0.0

    @property
    def ratio(self) -> float:
        """Seconds of the later checkout for one of the earlier."""
        return self.seconds_after / max(self.seconds_before, 1e-9)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    before, after = Checkout(arguments.before), Checkout(arguments.after)
    comparisons = []
    for package in arguments.packages or PACKAGES:
        comparisons.append(compare_crawls(before, after, package))
        print(_summary(comparisons[-1]), flush=True)
    if arguments.files:
        files = draw_files(arguments.corpus, arguments.files, arguments.seed)
        comparisons.append(compare_files(before, after, files))
        print(_summary(comparisons[-1]), flush=True)
    lines = format_report(comparisons)
    print("\n".join(lines))
    if arguments.results:
        words = arguments.packages or PACKAGES
        drawn = ["--files", str(arguments.files), "--seed", str(arguments.seed)]
        command = [
            "python",
            "-m",
            "benchmarks",
            "identity",
            "BEFORE",
            "AFTER",
            *words,
            *drawn,
        ]
        report.write_report(
            arguments.results, "The same bytes as before", command, lines
        )
    return 1 if any(comparison.differing for comparison in comparisons) else 0


def compare_crawls(before: Checkout, after: Checkout, package: str) -> Comparison:
    """Crawl a package of the corpus with both checkouts and compare all that they export."""
    comparison = Comparison(subject=package)
    locator = f"pypi:{package}=={corpus_versions()[package]}"
    with tempfile.TemporaryDirectory() as scratch:
        homes = {name: Path(scratch, name) for name in ("before", "after")}
        comparison.seconds_before = _crawl(before, locator, package, homes["before"])
        comparison.seconds_after = _crawl(after, locator, package, homes["after"])
        rows_before = _export_rows(before, homes["before"])
        rows_after = _export_rows(after, homes["after"])
    for row_id in sorted(rows_before.keys() | rows_after.keys()):
        comparison.compared += 1
        if rows_before.get(row_id) != rows_after.get(row_id):
            keys = _differing_keys(rows_before.get(row_id), rows_after.get(row_id))
            comparison.differing.append(f"{row_id}: {', '.join(keys)}")
    return comparison


def compare_files(
    before: Checkout, after: Checkout, files: Sequence[Path]
) -> Comparison:
    """Extract and port each file with both checkouts and compare all that they write."""
    comparison = Comparison(subject=f"{len(files)} drawn files")
    for path in files:
        with tempfile.TemporaryDirectory() as scratch:
            outputs = []
            for checkout in (before, after):
                started = time.monotonic()
                outputs.append(_extract_and_port(checkout, path, Path(scratch)))
                elapsed = time.monotonic() - started
                if checkout is before:
                    comparison.seconds_before += elapsed
                else:
                    comparison.seconds_after += elapsed
        comparison.compared += 1
        names = sorted(outputs[0].keys() | outputs[1].keys())
        changed = [
            name for name in names if outputs[0].get(name) != outputs[1].get(name)
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


def _crawl(checkout: Checkout, locator: str, package: str, home: Path) -> float:
    words = ["crawl", locator]
    if package in RUN_ON_CPU:
        words += ["--device", "cpu"]
    started = time.monotonic()
    ended = checkout.run(*words, home=home)
    if ended.returncode:
        print(ended.stderr, file=sys.stderr)
    return time.monotonic() - started


def _export_rows(checkout: Checkout, home: Path) -> dict[str, dict[str, Any]]:
    exported = home / "kernels.jsonl"
    words = (
        "export",
        "kernels",
        str(exported),
        "--licence",
        "any",
        "--format",
        "jsonl",
    )
    checkout.run(*words, home=home)
    rows = map(json.loads, exported.read_text().splitlines())
    return {row["id"]: _without_times(row) for row in rows}


def _extract_and_port(
    checkout: Checkout, path: Path, scratch: Path
) -> dict[str, bytes]:
    folder = scratch / "units"
    words = ("extract", "--input-file", str(path), "--output-dir", str(folder))
    extracted = checkout.run(*words, home=scratch / "home")
    contents = {"exit code": str(extracted.returncode).encode()}
    units = sorted(folder.rglob("*")) if folder.is_dir() else []
    for unit in units:
        if unit.is_file():
            contents[unit.relative_to(folder).as_posix()] = unit.read_bytes()
    contents["port"] = checkout.run(
        "port", str(path), home=scratch / "home"
    ).stdout.encode()
    # the next checkout writes to the same path, since paths may stand in what is written
    shutil.rmtree(folder, ignore_errors=True)
    return contents


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        lasting = {key: part for key, part in value.items() if key not in VARYING_KEYS}
        # its digest depends on the folder that the headers lie in
        if isinstance(lasting.get("toolchain"), dict):
            lasting["toolchain"] = {**lasting["toolchain"], "digest": ""}
        return {key: _without_times(part) for key, part in lasting.items()}
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    return value


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
    """Return a table, a line a subject, and below it what differs."""
    columns = [
        "subject",
        "compared",
        "differ",
        "seconds before",
        "seconds after",
        "ratio",
    ]
    rows = [
        [
            comparison.subject,
            comparison.compared,
            len(comparison.differing),
            f"{comparison.seconds_before:.0f}",
            f"{comparison.seconds_after:.0f}",
            f"{comparison.ratio:.2f}",
        ]
        for comparison in comparisons
    ]
    differing = [
        f"- {text}" for comparison in comparisons for text in comparison.differing
    ]
    return [*report.format_table(columns, rows), "", *differing]


def _summary(comparison: Comparison) -> str:
    differing_count = len(comparison.differing)
    return f"{comparison.subject}: {comparison.compared} compared, {differing_count} differ"


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
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
