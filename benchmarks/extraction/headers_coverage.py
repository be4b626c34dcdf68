"""Count what the shim headers lack.

python -m benchmarks headers_coverage [--device] [--top N] [--results FILE] FOLDER…

Every source that `extract` would parse is parsed with its own command; with `--device` its
device side is also
compiled by clang++. A line a project, then the names and messages that stand for most errors.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clang.cindex import Diagnostic

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from crawler.builds.database.compile_database import build_compile_database
from crawler.errors import CrawlError
from crawler.extract.clang.parse import parse_unit, uses_torch
from crawler.model import CompileCommand, Dialect
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags, get_parse_prelude

ALONE = False
QUOTED_NAME = re.compile(r"'[^']*'")
ERROR_LINE = re.compile(r"^(\S+?):\d+:\d+: (?:fatal )?error: (.*)$", re.M)


@dataclass(slots=True)
class ErrorCount:
    files: int = 0
    clean: int = 0
    errors: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    messages: Counter[str] = field(default_factory=Counter)
    where: dict[str, str] = field(default_factory=dict)

    def add(self, file: str, errors: Iterable[tuple[str, str]], seconds: float) -> None:
        error_list = list(errors)
        self.files += 1
        self.clean += not error_list
        self.errors += len(error_list)
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        for place, message in error_list:
            self.messages[message] += 1
            self.where.setdefault(message, f"{file} ({place})")


def find_host_errors(root: Path, command: CompileCommand) -> Iterator[tuple[str, str]]:
    unit = parse_unit(root, command, has_torch=_torch(root, command))
    for diagnostic in unit.diagnostics:
        if diagnostic.severity >= Diagnostic.Error:
            file = diagnostic.location.file
            yield (
                f"{Path(file.name).name if file else '-'}:{diagnostic.location.line}",
                diagnostic.spelling,
            )


def find_device_errors(
    root: Path, command: CompileCommand
) -> Iterator[tuple[str, str]]:
    compiler = discovery.find_clang()
    assert compiler, "no clang++: run deploy/bootstrap"
    prelude = str(get_parse_prelude(with_torch=_torch(root, command)))
    argv = [
        str(compiler.path),
        *command.arguments,
        *get_compile_flags(Dialect.CUDA, "sm_80"),
        "-fsyntax-only",
    ]
    argv += [
        "-isystem",
        str(Path(prelude).parents[1]),
        "-isystem",
        _hip_parse(),
        "-include",
        prelude,
    ]
    ended = subprocess.run(
        [*argv, str(root / command.file)],
        cwd=root / command.directory,
        capture_output=True,
        text=True,
        timeout=120,
    )
    for place, message in ERROR_LINE.findall(ended.stderr):
        yield Path(place).name, message


def _hip_parse() -> str:
    return str(get_parse_prelude(with_torch=False).parents[2] / "hip_parse")


def _torch(root: Path, command: CompileCommand) -> bool:
    return uses_torch((root / command.file).read_text(errors="replace"))


def measure_folder(root: Path, *, device: bool) -> ErrorCount:
    database = build_compile_database(root, strategies=("synthesised",))
    count = ErrorCount()
    for command in (
        database.entries[index] for group in database.groups for index in group
    ):
        started = time.perf_counter()
        errors = list(
            (find_device_errors if device else find_host_errors)(root, command)
        )
        count.add(command.file, errors, time.perf_counter() - started)
    return count


def main(argv: Sequence[str] | None = None) -> int:
    arguments = create_parser("headers_coverage", __doc__)
    arguments.add_argument("folders", nargs="+", type=Path)
    arguments.add_argument("--device", action="store_true")
    arguments.add_argument("--top", type=int, default=15)
    add_results(arguments)
    options = arguments.parse_args(argv)
    lines = []
    for line in report_lines(options.folders, device=options.device, top=options.top):
        print(line, flush=True)
        lines.append(line)
    if options.results:
        names = [folder.name for folder in options.folders]
        command = [
            "python",
            "-m",
            "benchmarks",
            "headers_coverage",
            *(["--device"] if options.device else []),
            *names,
        ]
        report.write_report(
            options.results,
            "What our headers lack",
            command,
            ["```text", *lines, "```"],
        )
    return 0


def report_lines(folders: Iterable[Path], *, device: bool, top: int) -> Iterator[str]:
    """Yield the lines of the report."""
    total = ErrorCount()
    for folder in folders:
        try:
            count = measure_folder(folder.resolve(), device=device)
        except CrawlError as error:
            yield f"{folder.name:28} {error}"
            continue
        yield from describe_folder(folder.name, count, top)
        total.files, total.clean = total.files + count.files, total.clean + count.clean
        total.errors += count.errors
    yield f"{'all':28} {total.clean}/{total.files} files clean, {total.errors} errors"


def describe_folder(name: str, count: ErrorCount, top: int) -> Iterator[str]:
    time_per_file = (
        f"{count.seconds / max(count.files, 1):.2f} s a file, slowest "
        f"{count.slowest:.2f} s"
    )
    yield (
        f"{name:28} {count.clean}/{count.files} files clean, {count.errors} errors, "
        f"{time_per_file}"
    )
    for message, times in count.messages.most_common(top):
        yield f"    {times:5} {message[:150]}   {count.where[message]}"


if __name__ == "__main__":
    raise SystemExit(main())
