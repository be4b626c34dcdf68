"""Write Markdown reports that state the command, the commit and the machine."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path


def write_report(
    path: Path, title: str, argv: Sequence[str], lines: Iterable[str]
) -> None:
    """Write a report in Markdown, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(
        "\n".join(
            [
                f"# {title}",
                "",
                f"`{shlex.join(argv)}`: {_describe_run()}",
                "",
                *lines,
                "",
            ]
        )
    )
    draft.replace(path)


def format_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    cells = [columns, ["---"] * len(columns), *rows]
    return [f"| {' | '.join(map(str, row))} |" for row in cells]


def describe_command(name: str, argv: Sequence[str] | None) -> list[str]:
    """Return the words that run the benchmark of this name as it was just run.

    Of an absolute path there is its last part: where folders lie differs between machines.
    """
    words = omit_results(list(map(str, sys.argv[1:] if argv is None else argv)))
    shown_words = [Path(word).name if word.startswith("/") else word for word in words]
    return ["python", "-m", "benchmarks", name, *shown_words]


def omit_results(words: Sequence[str]) -> list[str]:
    """Return the words of a command without `--results FILE`: where a report lies says nothing."""
    return [word for word in words if word != "--results" and not word.endswith(".md")]


def _describe_run() -> str:
    now = datetime.now(UTC).strftime("%Y-%m-%d")
    cores = len(os.sched_getaffinity(0))
    busy = os.getloadavg()[0]
    python = platform.python_version()
    return (
        f"{now}, {describe_commit()}, Python {python}, {cores} {platform.machine()} "
        f"cores, load {busy:.1f} at the end."
    )


def describe_commit() -> str:
    description = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude=*"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return (
        f"commit {description.stdout.strip()}"
        if description.returncode == 0
        else "no commit"
    )
