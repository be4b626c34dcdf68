"""Measure compile databases of corpus packages: coverage, origin, speed and whether includes
resolve.

python -m benchmarks compile_db [--smoke | --all | NAME…] [--folder DIR] [--results FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import (
    add_corpus_choice,
    add_folder,
    add_results,
    create_parser,
)
from benchmarks.corpus.corpus import measure_packages
from benchmarks.corpus.recall import load_true_pairs
from crawler import codec
from crawler.builds.database import compile_database
from crawler.checkout.include_resolver import IncludeResolver
from crawler.checkout.source_scan import Include
from crawler.checkout.source_tree import open_tree
from crawler.headers.overlay import render_overlay
from crawler.model import CompileCommand, CompileDatabase, FlagsOrigin
from crawler.sources.locator import find_source
from crawler.sources.options import SourceOptions
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_parse_flags, get_parse_prelude

_LEARNT = {FlagsOrigin.EXPORTED, FlagsOrigin.RECORDED}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    if arguments.child:
        _run_child(arguments.folder, Path(arguments.child))
        return 0

    def measure(name: str, version: str, scratch: Path) -> dict[str, Any]:
        root = fetch_package(name, version, arguments.folder, scratch)
        return measure_database(root, name, scratch)

    lines = measure_packages(arguments, measure)
    if arguments.results:
        command = report.describe_command("compile_db", argv)
        report.write_report(
            arguments.results,
            "Compile databases of packages",
            command,
            format_report(lines),
        )
    return 0


def format_report(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return what was measured as a table, and below it what is wrong."""
    columns = [
        "package",
        "seconds",
        "processor seconds",
        "MB at most",
        "true files",
        "with an entry",
    ]
    origins = [origin.value for origin in FlagsOrigin]
    rows = [
        [
            line["package"],
            line["seconds"],
            line["processor_seconds"],
            line["peak_mb"],
            line["files"],
            line["entries"],
            *(line["origins"].get(origin, 0) for origin in origins),
            f"{line['resolved']} of {line['preprocessed']}",
            ", ".join(
                f"{name} {outcome}" for name, outcome in line["strategies"].items()
            ),
        ]
        for line in lines
    ]
    learnt = sum(line["learnt"] for line in lines)
    lost = [
        f"- {line['package']}: `{problem}`"
        for line in lines
        for problem in (*line["without"], *line["unresolved"])
    ]
    return [
        *report.format_table(
            [*columns, *origins, "files whose includes all resolve", "strategies"], rows
        ),
        "",
        f"{learnt} of {len(lines)} packages yield recorded or exported entries.",
        "",
        *lost,
    ]


def measure_database(root: Path, package: str, scratch: Path) -> dict[str, Any]:
    """Learn the database of a tree in a process of its own, and look at it; times are of that
    process.
    """
    argv = [
        sys.executable,
        "-m",
        "benchmarks.corpus.compile_db",
        "--folder",
        str(root),
        "--child",
        str(scratch / "told"),
    ]
    began = time.monotonic()
    subprocess.run(argv, check=True)
    seconds = time.monotonic() - began
    used = json.loads((scratch / "told.json").read_text())
    learnt = codec.decode((scratch / "told").read_bytes(), CompileDatabase)
    commands = {command.file: command for command in learnt.commands}
    true_files = {
        tree_path
        for path, _ in load_true_pairs(package)
        if (tree_path := _find_in_tree(path, root)) is not None
    }
    entries = [commands[path] for path in sorted(true_files) if path in commands]
    unresolved = list(_find_unresolved(root, entries, scratch))
    return {
        "package": package,
        "seconds": round(seconds, 1),
        **used,
        "files": len(true_files),
        "entries": len(entries),
        "origins": Counter(entry.origin.value for entry in entries),
        "learnt": any(
            command.origin in _LEARNT and command.dialect for command in learnt.commands
        ),
        "without": [
            f"{path} has no entry" for path in sorted(true_files - commands.keys())
        ],
        "preprocessed": len(entries),
        "resolved": len(entries) - len({path for path, _ in unresolved}),
        "unresolved": [
            f"{path} includes {name}, which is in the tree" for path, name in unresolved
        ],
        "strategies": {
            strategy_report.strategy: strategy_report.code or strategy_report.entries
            for strategy_report in learnt.strategies
        },
    }


def _run_child(root: Path, destination: Path) -> None:
    database = compile_database.build_compile_database(root)
    destination.write_bytes(codec.encode(database))
    own, below = (
        resource.getrusage(scope)
        for scope in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    used = {
        "processor_seconds": round(
            own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime, 1
        ),
        "peak_mb": max(own.ru_maxrss, below.ru_maxrss) >> 10,
    }
    destination.with_suffix(".json").write_text(json.dumps(used))


def _find_unresolved(
    root: Path, entries: Iterable[CompileCommand], scratch: Path
) -> Iterator[tuple[str, str]]:
    """Yield (file, include) for what the compiler does not find though the tree has it."""
    names = scratch / "headers.yaml"
    names.write_text(render_overlay())
    tree = open_tree(root)
    resolver = IncludeResolver(tree)
    for entry in entries:
        for name in _list_missing(root, entry, names):
            resolved = resolver.resolve(entry.file, Include(name=name, is_quoted=True))
            if resolved is not None:
                yield entry.file, name


def _list_missing(root: Path, entry: CompileCommand, names: Path) -> list[str]:
    """Return the includes that clang's preprocessor has to take for files that are yet to be
    generated.
    """
    clang = discovery.find_clang()
    assert clang is not None, "run deploy/bootstrap"
    argv = [
        str(clang.path),
        *(
            "-E",
            "-MM",
            "-MG",
            "-working-directory",
            str(root / entry.directory),
            *entry.arguments,
        ),
        *(
            *get_parse_flags(names),
            "-include",
            str(get_parse_prelude(with_torch=True)),
            str(root / entry.file),
        ),
    ]
    completed = subprocess.run(
        argv, capture_output=True, text=True, errors="replace", check=False, timeout=120
    )
    words = re.sub(r"\\\n", " ", completed.stdout.partition(":")[2])
    listed = [word.replace("\\ ", " ") for word in re.findall(r"(?:\\.|\S)+", words)]
    return [
        word
        for word in listed
        if not word.startswith("/") and not (root / entry.directory / word).is_file()
    ]


def _find_in_tree(path: str, root: Path) -> str | None:
    """The true list names files from the archive's folder, which a checkout leaves out."""
    return next(
        (
            candidate
            for candidate in (path, path.partition("/")[2])
            if candidate and (root / candidate).is_file()
        ),
        None,
    )


def fetch_package(name: str, version: str, folder: Path | None, scratch: Path) -> Path:
    """Return the root of a package: below `folder` where it lies there already, else fetched
    into `scratch`.
    """
    if folder is not None:
        unpacked = next(folder.glob(f"{name}-{version}*"), folder / name)
        return unpacked
    locator = f"pypi:{name}=={version}"
    source = find_source(locator)
    (repo,) = source.list(locator, SourceOptions())
    destination = scratch / "checkout"
    destination.mkdir()
    return source.fetch(repo, destination, SourceOptions()).root


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("compile_db", __doc__)
    add_corpus_choice(parser)
    add_folder(parser)
    add_results(parser)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
