"""Crawl projects that nobody has looked at, drawn by a seed, and keep what they gave at first.

python -m benchmarks unseen --names FILE [--mirrors FOLDER] [--count N] [--seed S]
    [--max-megabytes N] [--limit-seconds N] [--records FILE] [--again] [--results FILE]

FILE lists GitHub repositories, OWNER/NAME a line. With --mirrors they are read from Git directories
FOLDER/OWNER+NAME/repo; one that is not there, or is larger than is allowed, is replaced by the
next. A project's first figures are
never overwritten: drawn again, it is passed over, or with --again crawled once more and reported in
a table of its own, since a figure on what was mended for is no evidence.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.corpus.kernel_count import find_kernel_definitions
from benchmarks.corpus.mirror_checkout import CannotClone, check_out
from benchmarks.corpus.sights import (
    Sight,
    append_sight,
    compiled_share,
    format_report,
    read_sights,
)

ALONE = False
KERNELSET_PROGRAM = Path(sys.executable).parent / "kernelset"
RECORDS = Path(__file__).parents[1] / "results" / "unseen.jsonl"
CRAWL_TIMEOUT_SECONDS = 1_800
_NOTHING_TO_SHOW = 4
"""The exit status of a query without a row."""
_BUILD_PLACE = re.compile(r"^unit\.\w+:\d+: ")
_MAX_MESSAGE_CHARS = 160


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    sights = read_sights(arguments.records)
    projects = draw_projects(arguments.names, arguments.seed)
    measured = 0
    for project in projects:
        if measured == arguments.count:
            break
        repository = _locate(project, arguments.mirrors)
        if not repository or (project in sights) != arguments.again:
            continue
        if _is_too_large(repository, arguments.max_megabytes):
            continue
        try:
            sight = measure_project(project, repository, arguments.limit_seconds)
        except CannotClone as error:
            print(f"{project}: {error}", file=sys.stderr, flush=True)
            continue
        append_sight(arguments.records, sight)
        measured += 1
        print(_summarise(sight), flush=True)

    lines = format_report(read_sights(arguments.records))
    print("\n".join(lines))
    if arguments.results:
        command = report.describe_command("unseen", argv)
        title = "Projects that nobody had looked at"
        report.write_report(arguments.results, title, command, lines)
    return 0


def draw_projects(names: Path, seed: int) -> list[str]:
    """Return the names in a file in the order of a seed; the same seed gives the same order."""
    lines = (line.strip() for line in names.read_text().splitlines())
    projects = [line for line in lines if line and not line.startswith("#")]
    random.Random(seed).shuffle(projects)
    return projects


def measure_project(project: str, repository: str, limit_seconds: int) -> Sight:
    """Crawl a Git repository into an empty home and return its figures; raises `CannotClone`.

    A crawl that takes longer than the limit is stopped, and counts with what it has indexed.
    """
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch, "tree")
        commit, missing = check_out(repository, tree)
        true_pairs = find_kernel_definitions(tree)
        home = Path(scratch, "home")
        began = time.monotonic()
        # a mirror without all its files cannot be cloned; what was checked out of it can
        locator = f"git+file://{tree}" if missing else f"git+{repository}@{commit}"
        exit_code = _crawl(locator, home, limit_seconds)
        seconds = time.monotonic() - began
        rows = list(_query_rows(home))
        units = describe_units(_export_rows(home))
    return {
        "project": project,
        "commit": commit,
        "files_missing": len(missing),
        "program": report.describe_commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "exit_code": exit_code,
        "seconds": round(seconds, 1),
        **count_rows(rows, true_pairs),
        **units,
    }


def count_rows(
    rows: Sequence[dict[str, Any]], true_pairs: set[tuple[str, str]]
) -> Sight:
    """Return how many kernels rows of `kernelset query --json` hold, and what became of them."""
    row_pairs = {_pair(row) for row in rows}
    ast_pairs = {_pair(row) for row in rows if row["found_by"] == "ast"}
    reasons = Counter(reason.split(":")[0] for row in rows for reason in row["reasons"])
    targets: dict[str, Counter[str]] = {}
    for row in rows:
        for target, status in row["pass_call"].items():
            targets.setdefault(target, Counter())[status] += 1
    return {
        "true": len(true_pairs),
        "found": len(true_pairs & row_pairs),
        "by_ast": len(true_pairs & ast_pairs),
        "missed": [":".join(pair) for pair in sorted(true_pairs - row_pairs)[:20]],
        "kernels": len(rows),
        "hip": sum(row["dialect"] == "hip" for row in rows),
        "units": sum(bool(row["digest"]) for row in rows),
        "targets": {target: dict(counts) for target, counts in targets.items()},
        "reasons": dict(reasons.most_common()),
    }


def _pair(row: dict[str, Any]) -> tuple[str, str]:
    return row["path"], row["name"].split("<")[0].split("::")[-1]


def _locate(project: str, mirrors: Path | None) -> str:
    """Return where a project is cloned from; empty where its mirror is missing."""
    if mirrors is None:
        return f"https://github.com/{project}"
    folder = mirrors.resolve() / project.replace("/", "+") / "repo"
    return f"file://{folder}" if folder.is_dir() else ""


def _is_too_large(repository: str, max_megabytes: int) -> bool:
    """Tell whether a mirror takes more bytes than are allowed; 0 allows any."""
    folder = Path(repository.removeprefix("file://"))
    if not max_megabytes or not folder.is_dir():
        return False
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return size > max_megabytes * 1_000_000


def _crawl(locator: str, home: Path, limit_seconds: int) -> int:
    words = [str(KERNELSET_PROGRAM), "crawl", locator]
    # A crawl that runs out keeps what it has: its figures are those of what was indexed.
    words = ["timeout", "--signal=INT", str(limit_seconds), *words]
    ended = subprocess.run(
        words, env=_environment(home), capture_output=True, text=True, check=False
    )
    if ended.returncode:
        print(ended.stderr[-2_000:], file=sys.stderr)
    return ended.returncode


def _query_rows(home: Path) -> Iterator[dict[str, Any]]:
    ended = subprocess.run(
        [str(KERNELSET_PROGRAM), "query", "--limit", "0", "--json"],
        env=_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode not in (0, _NOTHING_TO_SHOW):
        raise RuntimeError(f"the query failed: {ended.stderr[-2_000:]}")
    return (json.loads(line) for line in ended.stdout.splitlines())


def _export_rows(home: Path) -> Iterator[dict[str, Any]]:
    exported = home / "kernels.jsonl"
    words = ["export", "kernels", str(exported)]
    words += ["--licence", "any", "--format", "jsonl"]
    subprocess.run(
        [str(KERNELSET_PROGRAM), *words],
        env=_environment(home),
        capture_output=True,
        check=False,
    )
    if not exported.exists():
        return

    with exported.open() as lines:
        for line in lines:
            yield json.loads(line)


def describe_units(exported: Iterable[dict[str, Any]]) -> Sight:
    """Return what rows of an export tell of units: rungs, fidelity, sizes and failures.

    `failures` are the commonest messages of builds that failed, each with how often it came;
    `absent` counts the builds that lack a header which the tree does not have, as of a submodule
    that a mirror lacks; `unit_ratio` is the median of a unit's lines divided by its kernel's.
    """
    messages: Counter[str] = Counter()
    rungs: Counter[str] = Counter()
    fidelity: dict[str, Counter[str]] = {}
    absent: Counter[str] = Counter()
    ratios = []
    for row in exported:
        unit = row["unit"]
        if unit:
            rungs[unit["rung"]] += 1
            ratios.append(
                row["measures"]["unit_lines"] / max(row["measures"]["lines"], 1)
            )
        for build in row["builds"]:
            if build["fidelity"]:
                agreements = fidelity.setdefault(build["target"], Counter())
                agreements[build["fidelity"]] += 1
            absent[build["target"]] += build["code"] == "missing-header"
            if build["status"] == "fail":
                message = _BUILD_PLACE.sub("", build["message"])[:_MAX_MESSAGE_CHARS]
                messages[f"{build['target']} {build['code']}: {message}"] += 1
    return {
        "rungs": dict(rungs.most_common()),
        "absent": {target: count for target, count in absent.items() if count},
        "fidelity": {target: dict(counts) for target, counts in fidelity.items()},
        "unit_ratio": round(statistics.median(ratios), 2) if ratios else None,
        "failures": [
            f"{count}: {message}" for message, count in messages.most_common(12)
        ],
    }


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "KERNELSET_HOME": str(home)}


def _summarise(sight: Sight) -> str:
    shares: Iterable[str] = (
        f"{target} {compiled_share(sight, target):.0%}" for target in sight["targets"]
    )
    return (
        f"{sight['project']}: {sight['found']} of {sight['true']} found, "
        f"{', '.join(shares)}, {sight['seconds']:.0f} s"
    )


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks unseen",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument(
        "--names", type=Path, required=True, metavar="FILE", help="what to draw from"
    )
    parser.add_argument(
        "--mirrors", type=Path, metavar="FOLDER", help="Git directories to clone from"
    )
    parser.add_argument("--count", type=int, default=40, metavar="N", help="projects")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the draw")
    parser.add_argument(
        "--max-megabytes",
        type=int,
        default=0,
        metavar="N",
        help="of a mirror; 0 for any",
    )
    parser.add_argument(
        "--limit-seconds",
        type=int,
        default=CRAWL_TIMEOUT_SECONDS,
        metavar="N",
        help="of a crawl",
    )
    parser.add_argument(
        "--records", type=Path, default=RECORDS, metavar="FILE", help="kept figures"
    )
    parser.add_argument(
        "--again", action="store_true", help="crawl what has a first figure already"
    )
    parser.add_argument("--results", type=Path, help="write a report to this file, too")
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
