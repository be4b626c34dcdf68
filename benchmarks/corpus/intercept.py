"""Compare compile databases obtained without compiling with Bear on a real build: seconds and
entries.

python -m benchmarks intercept [--package NAME [--strategy S] [--build COMMAND]]
[--folder DIR] [--results FILE]

The command must build the package with the compilers of this machine; Bear comes from apt.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_folder, add_results, create_parser
from benchmarks.corpus.compile_db import fetch_package
from benchmarks.corpus.corpus import corpus_versions
from crawler.builds.database.strategy_outcomes import run_build_systems
from crawler.checkout.source_tree import open_tree

ALONE = False
_UNITS = 16
_CMAKE = (
    "cmake -S . -B bear-build -DCMAKE_BUILD_TYPE=Release && cmake --build bear-build"
)
_SOURCE = """#include <map>
#include <regex>
#include <string>
#ifndef SCALE
#error "compile me with -DSCALE"
#endif
#define __global__ __attribute__((global))
struct dim3 {{ unsigned x, y, z; }};
extern "C" int cudaLaunchKernel(const void*, dim3, dim3, void**, unsigned long,
                                struct CUstream_st*);
__global__ void scale_{number}(float* values) {{ values[0] *= SCALE; }}
int count_{number}(const std::string& text) {{
  std::map<std::string, int> seen;
  std::regex word("[a-z]+");
  std::sregex_iterator at(text.begin(), text.end(), word), end;
  for (; at != end; ++at) ++seen[at->str()];
  return static_cast<int>(seen.size()) * SCALE;
}}
"""
_MAKEFILE = """objects := $(patsubst %.cu,%.o,$(wildcard src/*.cu))
all: libcount.a
libcount.a: $(objects)
	ar rcs $@ $^
%.o: %.cu
	clang++-19 -x cuda --cuda-host-only -nocudainc -nocudalib \\
	-std=c++17 -O2 -DSCALE=2 -Iinclude -c $< -o $@
"""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    if shutil.which("bear") is None:
        print("bear is not installed: apt-get install bear", file=sys.stderr)
        return 2
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        lines.append(
            _compare_with_bear(
                f"a Makefile of {_UNITS} units",
                _write_fixture(Path(scratch)),
                "make",
                "make all",
            )
        )
    if arguments.package:
        with tempfile.TemporaryDirectory() as scratch:
            root = fetch_package(
                arguments.package,
                corpus_versions()[arguments.package],
                arguments.folder,
                Path(scratch),
            )
            lines.append(
                _compare_with_bear(
                    arguments.package,
                    _copy_tree(root, Path(scratch)),
                    arguments.strategy,
                    arguments.build,
                )
            )
    for line in lines:
        print(json.dumps(line), flush=True)
    if arguments.results:
        command = report.describe_command("intercept", argv)
        report.write_report(
            arguments.results,
            "Learning flags against intercepting a real build",
            command,
            format_report(lines),
        )
    return 0


def format_report(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return what was measured as a table."""
    columns = [
        "project",
        "strategy",
        "seconds",
        "entries",
        "seconds under Bear",
        "entries of Bear",
        "times as fast",
    ]
    return report.format_table(columns, [list(line.values()) for line in lines])


def _compare_with_bear(
    name: str, root: Path, strategy: str, build: str
) -> dict[str, Any]:
    began = time.monotonic()
    answers = run_build_systems(open_tree(root), (strategy,))
    ours = time.monotonic() - began
    files = {
        command.file
        for answer in answers
        if answer.report.strategy == strategy
        for command in answer.commands
    }
    began = time.monotonic()
    ended = subprocess.run(
        ["bear", "--", "sh", "-c", build],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    theirs = time.monotonic() - began
    if ended.returncode:
        print(ended.stderr[-2000:], file=sys.stderr)
    entries = json.loads((root / "compile_commands.json").read_text())
    # what was compiled to try the compiler out is gone
    intercepted = {
        entry["file"]
        for entry in entries
        if (root / entry["directory"] / entry["file"]).is_file()
    }
    return {
        "project": name,
        "strategy": strategy,
        "seconds": round(ours, 2),
        "entries": len(files),
        "seconds under Bear": round(theirs, 2),
        "entries of Bear": len(intercepted),
        "times as fast": round(theirs / ours),
    }


def _write_fixture(scratch: Path) -> Path:
    (scratch / "src").mkdir()
    (scratch / "include").mkdir()
    for number in range(_UNITS):
        (scratch / f"src/count_{number}.cu").write_text(_SOURCE.format(number=number))
    (scratch / "Makefile").write_text(_MAKEFILE)
    return scratch


def _copy_tree(root: Path, scratch: Path) -> Path:
    return Path(shutil.copytree(root, scratch / "copy", symlinks=True))


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("intercept", __doc__)
    parser.add_argument("--package", help="a package of the corpus")
    parser.add_argument(
        "--strategy", default="cmake", help="the build system to ask (default: cmake)"
    )
    parser.add_argument(
        "--build",
        default=_CMAKE,
        metavar="COMMAND",
        help=f"what Bear watches (default: {_CMAKE})",
    )
    add_folder(parser)
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
