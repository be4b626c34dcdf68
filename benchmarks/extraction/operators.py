"""Compare extracted operators of mmcv with its own binding and registry files.

python -m benchmarks operators [--folder DIR] [--results FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from benchmarks.corpus.compile_db import fetch_package
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.extraction.launches import extract_facts
from crawler.extract.link import link_kernels
from crawler.extract.operators.operator_chain import attach_operators
from crawler.model import Kernel, OperatorRole

_BOUND = re.compile(r'm\.def\(\s*"(\w+)",\s*&(\w+)')
_REGISTERED = re.compile(r"REGISTER_DEVICE_IMPL\(\s*(\w+)_impl\s*,\s*(\w+)\s*,\s*(\w+)")
_CALLED = re.compile(r"(\w+)_impl\s*\(")
_DIRECTION = re.compile(r"_(?:forward|backward)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundOperator:
    """What mmcv says of one bound name."""

    name: str
    line: int
    """Of its binding."""
    on_cpu: bool
    twin: str
    python: frozenset[str]
    """Python files that hold the name."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    with tempfile.TemporaryDirectory() as scratch:
        root = fetch_package(
            "mmcv", corpus_versions()["mmcv"], arguments.folder, Path(scratch)
        )
        lines = compare_operators(
            load_bound_operators(root),
            attach_operators(root, link_kernels(extract_facts(root))),
        )
    print(
        json.dumps(
            {"operators": len(lines), "whole": sum(not line["lacks"] for line in lines)}
        )
    )
    if arguments.results:
        command = report.describe_command("operators", argv)
        report.write_report(
            arguments.results, "mmcv's operators", command, format_report(lines)
        )
    return 0


def load_bound_operators(root: Path) -> list[BoundOperator]:
    """Return the names that mmcv's PyTorch module binds and that have an implementation on CUDA
    devices.
    """
    (module,) = [
        path
        for path in (root / "mmcv").rglob("pybind.cpp")
        if "PYBIND11_MODULE" in path.read_text()
    ]
    registered: dict[str, set[str]] = defaultdict(set)
    for path in module.parent.rglob("*.cpp"):
        for name, device, _ in _REGISTERED.findall(path.read_text()):
            registered[name].add(device)
    text = module.read_text()
    glue = "\n".join(path.read_text() for path in sorted(module.parent.glob("*.cpp")))
    devices: dict[str, set[str]] = defaultdict(set)
    for name, function in _BOUND.findall(text):
        for body in re.findall(
            rf"^[\w:<> ,]*\b{function}\([^;{{}}]*\)\s*\{{(.*?)^\}}",
            glue,
            re.MULTILINE | re.DOTALL,
        ):
            devices[name].update(
                *(registered[inner] for inner in _CALLED.findall(body))
            )
    bound = {
        match.group(1): text.count("\n", 0, match.start()) + 1
        for match in _BOUND.finditer(text)
    }
    python = {
        path: set(re.findall(r"\w+", path.read_text()))
        for path in (root / "mmcv").rglob("*.py")
    }
    operators = []
    for name, line in bound.items():
        if "CUDA" in devices[name]:
            twin = (
                name[: -len("forward")] + "backward"
                if name.endswith("_forward")
                else ""
            )
            twin = (
                name[: -len("backward")] + "forward"
                if name.endswith("_backward")
                else twin
            )
            files = frozenset(
                path.relative_to(root).as_posix()
                for path, words in python.items()
                if name in words
            )
            on_cpu = "CPU" in devices[name]
            known_twin = twin if twin in bound and "CUDA" in devices[twin] else ""
            operators.append(
                BoundOperator(
                    name=name, line=line, on_cpu=on_cpu, twin=known_twin, python=files
                )
            )
    return operators


def compare_operators(
    bound_operators: Iterable[BoundOperator], kernels: Iterable[Kernel]
) -> list[dict[str, Any]]:
    """Return for each operator, forward and backward together, what is not linked of what there
    is.
    """
    linked_places: dict[str, dict[OperatorRole, set[tuple[str, int]]]] = defaultdict(
        lambda: defaultdict(set)
    )
    twins: dict[str, str] = {}
    for operator in (operator for kernel in kernels for operator in kernel.operators):
        twins[operator.name] = operator.twin
        for part in operator.parts:
            linked_places[operator.name][part.role].add(
                (part.span.path, part.span.line)
            )
    lacking: dict[str, list[str]] = defaultdict(list)
    for truth in bound_operators:
        lacking[_DIRECTION.sub("", truth.name)] += _list_lacking(
            truth, linked_places[truth.name], twins.get(truth.name, "")
        )
    return [
        {"operator": name, "lacks": lacks} for name, lacks in sorted(lacking.items())
    ]


def _list_lacking(
    truth: BoundOperator,
    linked_places: Mapping[OperatorRole, set[tuple[str, int]]],
    twin: str,
) -> list[str]:
    files = {path for path, _ in linked_places.get(OperatorRole.PYTHON, ())}
    linked_parts = {
        "Python file": not truth.python or bool(files & truth.python),
        "binding": truth.line
        in {line for _, line in linked_places.get(OperatorRole.BINDING, ())},
        "launcher": bool(linked_places.get(OperatorRole.LAUNCHER)),
        "kernel": bool(linked_places.get(OperatorRole.KERNEL)),
        "CPU implementation": not truth.on_cpu
        or bool(linked_places.get(OperatorRole.CPU)),
        "twin": not truth.twin
        or (twin == truth.twin and bool(linked_places.get(OperatorRole.TWIN))),
    }
    return [
        f"{truth.name}: {part}" for part, holds in linked_parts.items() if not holds
    ]


def format_report(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return how many operators are whole, and what the others lack."""
    whole = [line["operator"] for line in lines if not line["lacks"]]
    lost = [f"- `{lacking_part}`" for line in lines for lacking_part in line["lacks"]]
    count = (
        f"{len(whole)} of {len(lines)} operators ({100 * len(whole) / len(lines):.0f} "
        "%) are linked whole"
    )
    criteria = (
        "Python file, binding at its line, launcher, kernel, and CPU "
        "implementation and twin where mmcv has them"
    )
    return [
        f"{count}: {criteria}.",
        "",
        f"Whole: {', '.join(whole)}.",
        "",
        "Not linked:" if lost else "",
        "",
        *lost,
    ]


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("operators", __doc__)
    parser.add_argument(
        "--folder", type=Path, help="where mmcv lies unpacked; else it is fetched"
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
