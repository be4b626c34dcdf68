"""Compile what computes each launch on its own, and count how often that succeeds.

python -m benchmarks launch_setups [--smoke | --all | NAME…] [--folder DIR] [--results FILE]

A launch's definitions, and a function whose parameters are its inputs and whose body is its setup
followed by the launch's own expressions, are compiled against our headers, for the host and for
their syntax alone.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from benchmarks import report
from benchmarks.arguments import (
    add_corpus_choice,
    add_folder,
    add_results,
    create_parser,
)
from benchmarks.corpus.compile_db import fetch_package
from benchmarks.corpus.corpus import choose_packages, corpus_versions
from benchmarks.extraction.launches import extract_facts
from crawler.extract.clang.precompiled_preludes import overlay_file
from crawler.extract.launches.setup.statement import TYPENAME
from crawler.extract.link import link_commit
from crawler.model import Kernel, Launch
from crawler.toolchains.clang_flags import get_parse_flags, get_parse_prelude

_ARRAY: Final = re.compile(r"^(.*?)((?:\[[^\]]*\])+)$")
_INCLUDES: Final = ("<cub/cub.cuh>", "<thrust/device_vector.h>", "<cuda_runtime.h>")
_SECONDS: Final = 120


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    versions = corpus_versions()
    lines = []
    for name in choose_packages(arguments, versions):
        with tempfile.TemporaryDirectory() as scratch:
            root = fetch_package(name, versions[name], arguments.folder, Path(scratch))
            facts = extract_facts(root)
            kernels = link_commit(facts).kernels
            lines.append({"package": name, **measure_setups(kernels)})
        print(json.dumps(lines[-1]), flush=True)

    if arguments.results:
        report.write_report(
            arguments.results,
            "Launch setups compiled on their own",
            report.describe_command("launch_setups", argv),
            format_report(lines),
        )
    return 0


def measure_setups(kernels: Iterable[Kernel]) -> dict[str, Any]:
    """Return how many launches compile on their own, and the messages of those that do not."""
    launches = list(_iter_launches(kernels))
    messages = [compile_setup(launch) for launch in launches]
    failures = Counter(message for message in messages if message)
    return {
        "launches": len(launches),
        "compile": messages.count(""),
        "with_setup": sum(bool(launch.setup) for launch in launches),
        "with_definitions": sum(bool(launch.definitions) for launch in launches),
        "with_conditions": sum(bool(launch.conditions) for launch in launches),
        "failures": failures.most_common(),
    }


def format_report(lines: Iterable[dict[str, Any]]) -> list[str]:
    """Return a table with a line for each package."""
    table = [
        "| package | launches | compile on their own | with conditions |",
        "|---|---|---|---|",
    ]
    for line in lines:
        count = line["launches"]
        share = f"{line['compile'] / count:.1%}" if count else "-"
        table.append(
            f"| {line['package']} | {count} | {line['compile']} ({share}) "
            f"| {line['with_conditions']} |"
        )
    return table


@cache
def _prepare_prelude() -> str:
    """Return our headers, parsed once."""
    prelude = get_parse_prelude(with_torch=True)
    precompiled = Path(tempfile.mkdtemp()) / "prelude.pch"
    # as arguments of the compiler itself: its driver would make a device's header, too
    options = ("-emit-pch", "-o", str(precompiled))
    forwarded = (word for option in options for word in ("-Xclang", option))
    run = _run_clang("-fsyntax-only", *forwarded, str(prelude))
    run.check_returncode()
    return str(precompiled)


def _run_clang(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["clang++-19", *get_parse_flags(Path(overlay_file())), *arguments],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )


def compile_setup(launch: Launch) -> str:
    """Return the first error of a launch's text, empty where it compiles."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "setup.cu"
        source.write_text(render_setup(launch))
        run = _run_clang(
            "-fsyntax-only", "-include-pch", _prepare_prelude(), str(source)
        )
    if not run.returncode:
        return ""

    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    first_error = errors[0].partition("error: ")[2] if errors else "no error"
    return f"{launch.span.path}:{launch.span.line}: {first_error}"


def render_setup(launch: Launch) -> str:
    """Return a launch's definitions and its setup as a source of their own."""
    parameters: list[str] = []
    head: list[str] = []
    locals_before: list[str] = []
    for variable in launch.inputs:
        value = variable.canonical_type
        if variable.type == TYPENAME and not value:
            head.append(f"typename {variable.name}")
        elif variable.type == TYPENAME:
            locals_before.append(f"using {variable.name} = {value};")
        elif variable.type.startswith("constexpr "):
            kind = variable.type.removeprefix("constexpr ")
            if value:
                locals_before.append(f"constexpr {kind} {variable.name} = {value};")
            else:
                head.append(f"{kind} {variable.name}")
        elif re.search(r"\bauto\b", value or variable.type):
            head.append(f"typename KsType{len(head)}")
            parameters.append(f"KsType{len(head) - 1} {variable.name}")
        else:
            parameters.append(_declare(variable.name, value or variable.type))

    uses = [
        f"dim3 ks_grid({launch.grid});",
        f"dim3 ks_block({launch.block});",
        f"size_t ks_shared = {launch.shared_bytes};",
        f"(void)({launch.stream});",
        *(f"(void)({argument});" for _, argument in launch.argument_map),
    ]
    includes = [
        f"#include {name}"
        for name in _INCLUDES
        if name.strip("<>").partition("/")[0] in launch.definitions + launch.setup
    ]
    namespaces = launch.enclosing.split("::")[:-1]
    opened = [
        f"namespace {name} {{"
        for name in namespaces
        if f"namespace {name} " in launch.definitions
    ]
    return "\n".join(
        [
            *includes,
            launch.definitions,
            *opened,
            f"template <{', '.join(head)}>" if head else "",
            f"void ks_setup({', '.join(parameters)}) {{",
            *locals_before,
            launch.setup,
            *uses,
            "}",
            *["}"] * len(opened),
        ]
    )


def _declare(name: str, type_text: str) -> str:
    array = _ARRAY.match(type_text)
    return f"{array[1]} {name}{array[2]}" if array else f"{type_text} {name}"


def _iter_launches(kernels: Iterable[Kernel]) -> Iterator[Launch]:
    """Yield each launch site once: overloads may share one."""
    places = set()
    for kernel in kernels:
        for launch in kernel.launches:
            place = (launch.span, launch.body)
            if place not in places:
                places.add(place)
                yield launch


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("launch_setups", __doc__)
    add_corpus_choice(parser)
    add_folder(parser)
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
