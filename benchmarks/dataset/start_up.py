"""Measure what the command line takes of the processor before and while it answers, beside Python.

python -m benchmarks start_up [HOME]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser

_RUNS = 9
_PROGRAM = str(Path(sys.executable).with_name("kernelset"))
_COMMANDS = {
    "`python -c pass`": (sys.executable, "-c", "pass"),
    "`import sqlalchemy`": (sys.executable, "-c", "import sqlalchemy"),
    "`import sqlmodel`": (sys.executable, "-c", "import sqlmodel"),
    "`kernelset --version`": (_PROGRAM, "--version"),
    "`kernelset query`": (_PROGRAM, "query"),
    "`kernelset query EXPRESSION`": (_PROGRAM, "query", "pass_call.sm_80 = pass"),
    "`kernelset query --facet licence`": (_PROGRAM, "query", "--facet", "licence"),
}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    with tempfile.TemporaryDirectory() as folder:
        home = arguments.home or Path(folder)
        environment = {**os.environ, "KERNELSET_HOME": str(home)}
        seconds = _measure_least(environment)
        words = (_PROGRAM, "query", "--json")
        lines = subprocess.run(words, env=environment, stdout=subprocess.PIPE).stdout

    nothing, library = seconds["`python -c pass`"], seconds["`import sqlalchemy`"]
    rows = [
        (name, f"{value:.3f}", f"{value / nothing:.1f}", f"{value / library:.2f}")
        for name, value in seconds.items()
    ]
    report.write_report(
        arguments.results,
        "Start-up",
        report.describe_command("start_up", argv),
        [
            f"The least seconds of the processor of {_RUNS} runs in turns, over an index of "
            f"{len(lines.splitlines())} kernels: on a busy machine all are more.",
            "",
            *report.format_table(
                ("", "seconds", "beside Python alone", "beside SQLAlchemy"), rows
            ),
        ],
    )
    return 0


def _measure_least(environment: dict[str, str]) -> dict[str, float]:
    """Return the least that each command takes; what a machine has to do besides only adds."""
    least = dict.fromkeys(_COMMANDS, float("inf"))
    for _ in range(_RUNS):
        for name, words in _COMMANDS.items():
            least[name] = min(least[name], _measure_once(words, environment))
    return least


def _measure_once(words: Sequence[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # a query of an empty index exits with another code than 0
    subprocess.run(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("start_up", __doc__)
    parser.add_argument("home", type=Path, nargs="?", help="of an index with kernels")
    add_results(parser, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
