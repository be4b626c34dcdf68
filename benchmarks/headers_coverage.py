"""Count what our headers lack: `python -m benchmarks.headers_coverage [--device] [--top N] FOLDER…`.

Every source that `extract` would parse is parsed with its own command; with `--device` its device side is also
compiled by clang++. A line a project, then the names and messages that stand for most errors.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from crawler import toolchain
from crawler.builds.database import build
from crawler.errors import CrawlError
from crawler.extract.parse import parse, speaks_torch
from crawler.headers.flags import compile_flags, parse_prelude
from crawler.model import CompileCommand, Dialect

QUOTED = re.compile(r"'[^']*'")
LOCATED = re.compile(r"^(\S+?):\d+:\d+: (?:fatal )?error: (.*)$", re.M)


@dataclass(slots=True)
class Count:
    files: int = 0
    clean: int = 0
    errors: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    messages: Counter[str] = field(default_factory=Counter)
    where: dict[str, str] = field(default_factory=dict)

    def add(self, file: str, errors: Iterable[tuple[str, str]], seconds: float) -> None:
        found = list(errors)
        self.files += 1
        self.clean += not found
        self.errors += len(found)
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        for place, message in found:
            self.messages[message] += 1
            self.where.setdefault(message, f"{file} ({place})")


def host_errors(root: Path, command: CompileCommand) -> Iterator[tuple[str, str]]:
    unit = parse(root, command, torch=_torch(root, command))
    for diagnostic in unit.diagnostics:
        if diagnostic.severity >= diagnostic.Error:
            file = diagnostic.location.file
            yield f"{Path(file.name).name if file else '-'}:{diagnostic.location.line}", diagnostic.spelling


def device_errors(root: Path, command: CompileCommand) -> Iterator[tuple[str, str]]:
    compiler = toolchain.clang()
    assert compiler, "no clang++: run deploy/bootstrap"
    prelude = str(parse_prelude(torch=_torch(root, command)))
    argv = [str(compiler.path), *command.arguments, *compile_flags(Dialect.CUDA, "sm_80"), "-fsyntax-only"]
    argv += ["-isystem", str(Path(prelude).parents[1]), "-isystem", _hip_parse(), "-include", prelude]
    ended = subprocess.run(
        [*argv, str(root / command.file)], cwd=root / command.directory, capture_output=True, text=True, timeout=120
    )
    for place, message in LOCATED.findall(ended.stderr):
        yield Path(place).name, message


def _hip_parse() -> str:
    return str(parse_prelude(torch=False).parents[2] / "hip_parse")


def _torch(root: Path, command: CompileCommand) -> bool:
    return speaks_torch((root / command.file).read_text(errors="replace"))


def measure(root: Path, *, device: bool) -> Count:
    database = build(root, strategies=("synthesised",))
    count = Count()
    for command in (database.commands[at] for group in database.groups for at in group):
        started = time.perf_counter()
        errors = list((device_errors if device else host_errors)(root, command))
        count.add(command.file, errors, time.perf_counter() - started)
    return count


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folders", nargs="+", type=Path)
    arguments.add_argument("--device", action="store_true")
    arguments.add_argument("--top", type=int, default=15)
    options = arguments.parse_args()
    total = Count()
    for folder in options.folders:
        try:
            count = measure(folder.resolve(), device=options.device)
        except CrawlError as error:
            print(f"{folder.name:28} {error}")
            continue
        report(folder.name, count, options.top)
        total.files, total.clean = total.files + count.files, total.clean + count.clean
        total.errors += count.errors
    print(f"{'all':28} {total.clean}/{total.files} files clean, {total.errors} errors")


def report(name: str, count: Count, top: int) -> None:
    each = count.seconds / max(count.files, 1)
    print(f"{name:28} {count.clean}/{count.files} files clean, {count.errors} errors, ", end="")
    print(f"{each:.2f} s a file, slowest {count.slowest:.2f} s", flush=True)
    for message, times in count.messages.most_common(top):
        print(f"    {times:5} {message[:150]}   {count.where[message]}")


if __name__ == "__main__":
    main()
