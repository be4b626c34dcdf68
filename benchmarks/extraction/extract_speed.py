"""Measure the cost of extraction: files a second of one core, compared with clang, and its
profile by step.

python -m benchmarks extract_speed [NAME…] [--folder DIR] [--torch DIR] [--cuda DIR]
[--results FILE]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.arguments import (
    add_folder,
    add_package_names,
    add_results,
    create_parser,
)
from benchmarks.corpus.compile_db import fetch_package
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.extraction.step_profile import profile_steps
from crawler import codec, process
from crawler.builds.database.compile_database import build_compile_database
from crawler.cpp import syntax
from crawler.extract.clang.precompiled_preludes import (
    PreludeVariant,
    load_shared_prelude,
)
from crawler.extract.link import link_commit
from crawler.extract.parser_process.child import (
    FACTS_KIND,
    MESSAGE_HEADER,
    PRELUDE_KIND,
    REQUEST_KIND,
    ParseRequest,
    pack_message,
)
from crawler.model import CompileCommand, UnitFacts
from crawler.toolchains import discovery

_STUBS = (
    *(
        "THC/THC.h",
        "texture_fetch_functions.h",
        "texture_indirect_functions.h",
        "curand_mtgp32_kernel.h",
    ),
    *(
        "cusparse.h",
        "cublas_v2.h",
        "cublasLt.h",
        "cusolverDn.h",
        "cusolver_common.h",
        "curand.h",
        "curand_kernel.h",
    ),
    *("cufft.h", "thrust/complex.h", "c10/cuda/impl/cuda_cmake_macros.h"),
)
"""Headers that torch and clang ask for, and that a machine may lack; clang 18 and 19 want two
that CUDA 13 dropped.
"""


class _Cost(NamedTuple):
    seconds: float
    """Of CPU, the process's start and its messages included."""
    peak: int
    """Bytes of memory."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    lines: list[str] = []
    for name in arguments.names or ["mmcv"]:
        with tempfile.TemporaryDirectory() as scratch:
            root = fetch_package(
                name, corpus_versions()[name], arguments.folder, Path(scratch)
            ).resolve()
            lines += [f"## {name}", "", *_measure_package(root, arguments), ""]
    print("\n".join(lines))
    if arguments.results:
        names = [name for name in arguments.names if not name.startswith("/")]
        report.write_report(
            arguments.results,
            "What extraction costs",
            ["python", "-m", "benchmarks", "extract_speed", *names],
            lines,
        )
    return 0


def _measure_package(root: Path, arguments: argparse.Namespace) -> list[str]:
    database = build_compile_database(root)
    commands = [
        database.commands[index] for group in database.groups for index in group
    ]
    facts, whole = extract_in_child(root, commands)
    _, half = extract_in_child(root, commands[::2])
    began = time.process_time()
    units = sum(kernel.unit is not None for kernel in link_commit(facts).kernels)
    linking = time.process_time() - began
    rate = len(commands) / (whole.seconds + linking)
    syntax = _measure_syntax_alone(root, commands)
    whole_seconds, half_seconds = (
        whole.seconds / len(commands),
        half.seconds / len(commands[::2]),
    )
    rows: list[tuple[str, str]] = [
        ("files", str(len(commands))),
        ("kernel units", str(units)),
        (
            "CPU seconds, the process's start, its messages and the units included",
            f"{whole.seconds + linking:.1f}",
        ),
        ("files a second of one core", f"{rate:.2f}"),
        ("tree-sitter alone, files a second", f"{len(commands) / syntax:.0f}"),
        ("memory of the process at its peak", f"{whole.peak / 1e6:.0f} MB"),
        (
            "CPU of a file in the whole against one in half of them",
            f"{whole_seconds / half_seconds:.2f}",
        ),
    ]
    if arguments.torch:
        rows += _compare_with_clang(root, commands, rate, arguments)
    table = report.format_table(["measure", "value"], rows)
    return [
        *table,
        "",
        *report.format_table(
            ["where the time goes", "share"], profile_steps(root, commands)
        ),
    ]


def extract_in_child(
    root: Path, commands: Sequence[CompileCommand]
) -> tuple[list[UnitFacts], _Cost]:
    """Return what the process that parses says of the commands, and what it cost."""
    child = process.start(
        [sys.executable, "-m", "crawler.extract.parser_process.child", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    facts = [_request_facts(child, command) for command in commands]
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.close()
    child.stdout.close()
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    return facts, _Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def _request_facts(
    child: subprocess.Popen[bytes], command: CompileCommand
) -> UnitFacts:
    assert child.stdin is not None
    assert child.stdout is not None
    message = pack_message(REQUEST_KIND, codec.encode(ParseRequest(command=command)))
    while True:
        child.stdin.write(message)
        child.stdin.flush()
        kind, size = MESSAGE_HEADER.unpack(child.stdout.read(MESSAGE_HEADER.size))
        content = child.stdout.read(size)
        message = b""  # what it only announces wants no answer
        if kind == FACTS_KIND:
            return codec.decode(content, UnitFacts)
        if kind == PRELUDE_KIND:
            message = pack_message(
                PRELUDE_KIND, load_shared_prelude(codec.decode(content, PreludeVariant))
            )


def _measure_syntax_alone(root: Path, commands: Sequence[CompileCommand]) -> float:
    began = time.process_time()
    for command in commands:
        syntax.parse((root / command.file).read_bytes(), seconds=60.0)
    return time.process_time() - began


def _compare_with_clang(
    root: Path,
    commands: Sequence[CompileCommand],
    rate: float,
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, str]]:
    sample = commands[:: max(1, len(commands) // arguments.sample)][: arguments.sample]
    _, ours = extract_in_child(root, sample)
    with tempfile.TemporaryDirectory() as stubs:
        seconds, errors = zip(
            *(_run_clang(root, command, Path(stubs), arguments) for command in sample),
            strict=True,
        )
    cost = sum(seconds) / len(sample)
    yield (
        f"`clang++ -fsyntax-only` with real headers of torch, files a second ({len(sample)} files)",
        f"{1 / cost:.3f}",
    )
    yield "of these, files with an error", str(sum(errors))
    yield "extraction is faster by, all files", f"{cost * rate:.1f}"
    yield (
        "extraction is faster by, the same files, its start included",
        f"{sum(seconds) / ours.seconds:.1f}",
    )


def _run_clang(
    root: Path, command: CompileCommand, stubs: Path, arguments: argparse.Namespace
) -> tuple[float, bool]:
    compiler = discovery.find_clang()
    assert compiler is not None
    cuda = arguments.cuda
    for name in _STUBS:
        if not any(
            (folder / name).exists()
            for folder in (cuda / "include", cuda / "include/cccl", arguments.torch)
        ):
            (stubs / name).parent.mkdir(parents=True, exist_ok=True)
            (stubs / name).write_text("")
    paths = (
        stubs,
        arguments.torch,
        arguments.torch / "torch/csrc/api/include",
        cuda / "include/cccl",
    )
    include_flags = [
        word
        for path in (*paths, sysconfig.get_paths()["include"])
        for word in ("-isystem", str(path))
    ]
    argv = [
        str(compiler.path),
        "-fsyntax-only",
        "-x",
        "cuda",
        "--cuda-host-only",
        f"--cuda-path={cuda}",
        "-w",
    ]
    argv += [
        "--cuda-gpu-arch=sm_80",
        "-Wno-unknown-cuda-version",
        "-ferror-limit=0",
        *command.arguments,
        *include_flags,
    ]
    argv += ["-std=c++20", str(root / command.file)]
    child = subprocess.Popen(
        argv, cwd=root / command.directory, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, child.returncode != 0


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("extract_speed", __doc__)
    add_package_names(parser)
    add_folder(parser)
    parser.add_argument(
        "--torch",
        type=Path,
        help="torch's folder of headers, to hold clang with them against ours",
    )
    parser.add_argument(
        "--cuda",
        type=Path,
        default=Path("/usr/local/cuda"),
        help="NVIDIA's toolkit, for that",
    )
    parser.add_argument(
        "--sample", type=int, default=6, help="files that clang parses with them"
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
