"""Measure what a dispatcher and a worker take of the processor while there is nothing to do.

python -m benchmarks at_rest [--seconds 60] [--processes 2]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil

from benchmarks import report
from benchmarks.arguments import add_results, create_parser

_SETTLING_SECONDS = 20.0
"""How long programs have for their start before anything is measured."""


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = _parse_arguments(words)
    from storage.open import upgrade_postgres
    from tests.servers import postgres, valkey

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(postgres.serving())
        broker = stack.enter_context(valkey.serving())
        database.run("CREATE DATABASE rest")
        upgrade_postgres(database.url("rest"))
        (folder / "kernelset.toml").write_text(
            f'database = "{database.url("rest")}"\nbroker = "{broker.url}"\n'
        )
        concurrency = str(arguments.processes)
        assert database.process
        assert broker.process
        measured = {
            "dispatcher": stack.enter_context(_run_verb(folder, "dispatch")),
            "worker": stack.enter_context(
                _run_verb(folder, "worker", "--concurrency", concurrency)
            ),
            "Postgres": database.process.pid,
            "Valkey": broker.process.pid,
        }
        time.sleep(_SETTLING_SECONDS)
        shares = _measure_shares(measured, arguments.seconds)

    report.write_report(
        arguments.results,
        "At rest",
        ["python", "-m", "benchmarks", "at_rest", *report.omit_results(words)],
        _format_lines(arguments, shares),
    )
    return 0


@contextmanager
def _run_verb(home: Path, *words: str) -> Iterator[int]:
    """Let a verb run for as long as the block does, and give its process id."""
    program = Path(sys.executable).with_name("kernelset")
    with (home / f"{words[0]}.log").open("wb") as log:
        running = subprocess.Popen(
            [program, "--home", home, *words], stdout=log, stderr=log
        )
        try:
            yield running.pid
            assert running.poll() is None, (home / f"{words[0]}.log").read_text()
        finally:
            running.terminate()
            running.wait(60)


def _measure_shares(roots: dict[str, int], seconds: float) -> dict[str, float]:
    """Return the share of a core that each process takes with those below it."""
    before = {name: _processor_seconds(root) for name, root in roots.items()}
    began = time.monotonic()
    time.sleep(seconds)
    lasted = time.monotonic() - began
    return {
        name: (_processor_seconds(root) - before[name]) / lasted
        for name, root in roots.items()
    }


def _processor_seconds(root: int) -> float:
    # with those that ended meanwhile: a server starts a process for each connection
    process = psutil.Process(root)
    times = [
        member.cpu_times() for member in (process, *process.children(recursive=True))
    ]
    return sum(
        cpu_times.user
        + cpu_times.system
        + cpu_times.children_user
        + cpu_times.children_system
        for cpu_times in times
    )


def _format_lines(arguments: argparse.Namespace, shares: dict[str, float]) -> list[str]:
    rows = [(name, f"{100 * share:.2f} %") for name, share in shares.items()]
    return [
        f"`kernelset dispatch` and `kernelset worker` with {arguments.processes} processes "
        f"for all queues, and their servers, over {arguments.seconds:g} s in which nobody asks "
        "for anything. Each with the processes below it.",
        "",
        *report.format_table(("", "of a core"), rows),
    ]


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = create_parser("at_rest", __doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--processes", type=int, default=2)
    add_results(parser, required=True)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
