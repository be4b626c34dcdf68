"""Extract packages and compile every kernel unit with the clang front end; resumes an
interrupted run.

python -m benchmarks units FOLDER… [--state DIR] [--again] [--seconds N] [--cover N [--sample
N]]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks import report
from benchmarks.arguments import create_parser
from benchmarks.corpus.recall import load_true_pairs
from benchmarks.extraction.launches import account_for_tokens
from benchmarks.kernel_units.front_end_verdicts import compile_units
from benchmarks.kernel_units.resumable_extraction import extract_resumably, read_cost
from benchmarks.kernel_units.unit_counts import count_results
from benchmarks.kernel_units.units_report import format_report
from crawler import codec, headers, process
from crawler.extract.link import link_commit
from crawler.extract.version import VERSION
from crawler.model import Kernel
from crawler.process_limits import Limits

ALONE = False
_SEED = 20261121
_LONGEST = 6 * 3600.0
_LARGEST_FILE = 4 << 30
_OUT_OF_TIME = "out of time: call it again to go on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How much of a package is looked at."""

    units_per_file: int = 0
    """Units that are parsed for each file of the true list, and no other; all where it is 0."""
    sample_size: int = 0
    """Pairs of the true list, drawn at random; all where it is 0."""


WHOLE_PACKAGE: Final = Sampling()


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    if arguments.child:
        _extract_kernels(
            arguments.folders[0], arguments.child, arguments.cover, arguments.sample
        )
        return 0
    if arguments.state is None:
        with tempfile.TemporaryDirectory() as scratch:
            return _measure_folders(arguments, Path(scratch))
    arguments.state.mkdir(parents=True, exist_ok=True)
    return _measure_folders(arguments, arguments.state)


def _measure_folders(arguments: argparse.Namespace, state: Path) -> int:
    deadline = time.monotonic() + arguments.seconds
    part = Sampling(units_per_file=arguments.cover, sample_size=arguments.sample)
    for folder in arguments.folders:
        line = measure_package(
            folder.resolve(),
            state,
            deadline=deadline,
            restart=arguments.again,
            sampling=part,
        )
        print(json.dumps(line), flush=True)
    if arguments.results:
        lines = [
            json.loads(path.read_text())
            for path in sorted(state.glob("*.measured.json"))
        ]
        command = [
            "python",
            "-m",
            "benchmarks",
            "units",
            *(line["folder"] for line in lines),
        ]
        report.write_report(
            arguments.results, "Kernel units of packages", command, format_report(lines)
        )
    return 0


def measure_package(
    root: Path,
    state: Path,
    *,
    deadline: float | None = None,
    restart: bool = False,
    sampling: Sampling = WHOLE_PACKAGE,
) -> dict[str, Any]:
    """Return what a package gives, and keep it in `state`; what is kept there of the same
    extraction is not redone.

    Past the `deadline` it ends, and another call goes on.
    """
    package = root.name.rpartition("-")[0] or root.name
    head = {"package": package, "folder": root.name}
    deadline = deadline if deadline is not None else time.monotonic() + _LONGEST
    extracted = state / f"{package}.{_get_version_key()}.kernels.json"
    if restart or sampling.sample_size or not extracted.exists():
        _forget_package(state, package, extracted.stem if not restart else "")
        problem = _extract_in_child(root, extracted, deadline, sampling)
        if problem is not None:
            return {**head, "failed": problem}

    cost = json.loads(extracted.with_suffix(".cost").read_text())
    kernels = codec.decode(extracted.read_bytes(), tuple[Kernel, ...])
    pairs = draw_sample(package, sampling.sample_size)
    if sampling.sample_size:
        kernels = tuple(
            kernel for kernel in kernels if (kernel.span.path, kernel.name) in pairs
        )

    verdicts, seconds = compile_units(
        kernels, state / f"{package}.verdicts.jsonl", deadline
    )
    if any(kernel.unit and kernel.unit.digest not in verdicts for kernel in kernels):
        return {**head, "failed": _OUT_OF_TIME}

    line = {**head, **count_results(kernels, verdicts, package, pairs), **cost}
    if sampling.sample_size:
        line["sampled"] = [sampling.sample_size, len(load_true_pairs(package)), _SEED]
    line["compiler_seconds"] = round(seconds)
    (state / f"{package}.measured.json").write_text(json.dumps(line))
    return line


def _extract_in_child(
    root: Path, extracted: Path, deadline: float, sampling: Sampling
) -> str | None:
    """Extract in a process of its own, whose memory is measured; return why that failed."""
    argv = [
        sys.executable,
        "-m",
        "benchmarks.kernel_units.units",
        str(root),
        "--child",
        str(extracted),
        "--cover",
        str(sampling.units_per_file),
        "--sample",
        str(sampling.sample_size),
    ]
    remaining = max(1.0, deadline - time.monotonic())
    limits = Limits(seconds=remaining, file_bytes=_LARGEST_FILE)
    ended = process.run(argv, limits=limits)
    if ended.timed_out:
        return _OUT_OF_TIME
    return ended.text[-2000:] if ended.exit_code else None


def _forget_package(state: Path, package: str, kept_stem: str) -> None:
    """Drop what is kept of a package, except for the facts of an extraction that is to go on."""
    for path in state.glob(f"{package}.*.kernels.*"):
        if path.is_dir() and path.stem != kept_stem:
            shutil.rmtree(path)
        elif path.is_file():
            path.unlink()


def _get_version_key() -> str:
    return hashlib.sha256(f"{VERSION} {headers.headers_digest()}".encode()).hexdigest()[
        :12
    ]


def draw_sample(package: str, count: int) -> set[tuple[str, str]]:
    """Return so many pairs of a package's true list, at random; all of them where `count` is 0.

    A larger sample holds every smaller one, so that one may grow.
    """
    pairs = sorted(load_true_pairs(package))
    random.Random(_SEED).shuffle(pairs)
    return set(pairs[: count or len(pairs)])


def _extract_kernels(root: Path, target: Path, most: int, sample: int) -> None:
    """Keep the kernels of a tree, and what the processes cost that parse it."""
    folder = target.with_suffix(".facts")
    package = root.name.rpartition("-")[0] or root.name
    facts = extract_resumably(root, folder, draw_sample(package, sample), most)
    seconds, peak = read_cost(folder)
    began = time.process_time()
    linked_facts = link_commit(facts)
    cost = {
        "files": len(facts),
        "failed_files": Counter(unit.failure for unit in facts if unit.failure),
        "seconds": round(seconds + time.process_time() - began),
        "peak_mb": peak >> 20,
        "launch_tokens": account_for_tokens(root, facts, linked_facts),
    }
    target.with_suffix(".cost").write_text(json.dumps(cost))
    draft = target.with_suffix(".draft")
    draft.write_bytes(codec.encode(linked_facts.kernels))
    draft.replace(target)
    if not sample:
        shutil.rmtree(folder)


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("units", __doc__)
    parser.add_argument(
        "folders",
        nargs="+",
        type=Path,
        metavar="FOLDER",
        help="unpacked packages, as NAME-VERSION",
    )
    parser.add_argument(
        "--state",
        type=Path,
        metavar="DIR",
        help="where what was measured is kept, and added to",
    )
    parser.add_argument(
        "--again", action="store_true", help="extract again what is kept"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=_LONGEST,
        help="end in so much time; another call goes on",
    )
    parser.add_argument(
        "--cover",
        type=int,
        default=0,
        metavar="N",
        help="parse N units for each file of the true list, and no other",
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=0,
        metavar="N",
        help="look at N pairs of each true list, drawn at random",
    )
    parser.add_argument(
        "--results", type=Path, help="write a report to this file, of all that is kept"
    )
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
