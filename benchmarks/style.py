"""Measure how readable sources are: names, density, comments and sizes, beside other projects.

python -m benchmarks style [--results FILE] [--worst N] [FOLDER…]

Without folders: this project's packages, each room, and its tests. Other projects are folders of
their packages, such as `pip-audit/pip_audit`.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import statistics
import sys
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("crawler", "storage", "workers")
BARE_PARTICIPLE = re.compile(
    r"[a-z]+ed|told|found|seen|lent|made|given|known|read|written|taken|kept|left|put|said|asked"
    r"|met|got|held|drawn|shown|built|sent|meant|begun|chosen|run"
)
"""Names of functions that say neither what is done nor what is returned."""
VERBS = frozenset(
    {"put", "read", "run", "need", "feed", "seed", "embed", "exceed", "proceed"}
)
"""Verbs in the imperative that look like a participle."""
VAGUE_VALUE = re.compile(
    r"one|each|at|of|told|found|seen|given|known|taken|kept|left|said|asked|got|held|shown|what"
    r"|there|here|these|those|others|some|more|thing|things|stuff|tmp|obj"
    r"|beside|around|wanted"
)
"""Names of values that say nothing of what they hold."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Measure:
    """What the sources of one folder add up to."""

    modules: int = 0
    lines: int = 0
    comment_lines: int = 0
    function_lines: list[int] = field(default_factory=list)
    body_lines: int = 0
    body_nodes: int = 0
    body_statements: int = 0
    participles: list[str] = field(default_factory=list)
    value_names: int = 0
    vague_values: list[str] = field(default_factory=list)
    long_files: list[str] = field(default_factory=list)
    long_functions: list[str] = field(default_factory=list)

    @property
    def nodes_per_line(self) -> float:
        """Syntax nodes on a line of a function's body, blank lines and comments included."""
        return self.body_nodes / max(1, self.body_lines)

    @property
    def nodes_per_statement(self) -> float:
        """Syntax nodes of a statement in a function's body, however it is broken into lines."""
        return self.body_nodes / max(1, self.body_statements)

    @property
    def participle_share(self) -> float:
        """Share of functions that are named by one bare participle."""
        return len(self.participles) / max(1, len(self.function_lines))

    @property
    def vague_share(self) -> float:
        """Share of assigned names and parameters that are vague."""
        return len(self.vague_values) / max(1, self.value_names)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    measures = {
        _title(folder): measure_sources(sorted(folder.rglob("*.py")))
        for folder in arguments.folders or _default_folders()
    }
    lines = format_report(measures)
    if not arguments.folders:
        lines += ["", _test_ratio(measures)]
    print("\n".join(lines))
    for title, measure in measures.items():
        for complaint in list(_complaints(measure))[: arguments.worst]:
            print(f"{title}: {complaint}")
    if arguments.results:
        command = [
            "python",
            "-m",
            "benchmarks",
            "style",
            *map(_title, arguments.folders),
        ]
        report.write_report(
            arguments.results, "How readable the sources are", command, lines
        )
    return 0


def measure_sources(paths: Iterable[Path]) -> Measure:
    """Return what the sources at `paths` add up to; raises `SyntaxError` for what is no Python."""
    measure = Measure()
    for path in paths:
        text = path.read_text()
        line_count = text.count("\n")
        measure.modules += 1
        measure.lines += line_count
        measure.comment_lines += _count_comment_lines(text)
        if line_count > 300:
            measure.long_files.append(f"{path}: {line_count} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, Function):
                _add_function(measure, path, node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                _add_value(measure, path, node.lineno, node.id)
    return measure


def _add_function(measure: Measure, path: Path, function: Function) -> None:
    size = _last_line(function) - function.lineno + 1
    place = f"{path}:{function.lineno}: {function.name}"
    measure.function_lines.append(size)
    if size > 60:
        measure.long_functions.append(f"{place} has {size} lines")
    name = function.name.strip("_")
    if BARE_PARTICIPLE.fullmatch(name) and name not in VERBS:
        measure.participles.append(place)
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        _add_value(measure, path, argument.lineno, argument.arg)
    body = _body_without_docstring(function)
    if body:
        measure.body_lines += _last_line(body[-1]) - body[0].lineno + 1
        nodes = [node for statement in body for node in ast.walk(statement)]
        measure.body_nodes += len(nodes)
        measure.body_statements += sum(isinstance(node, ast.stmt) for node in nodes)


def _add_value(measure: Measure, path: Path, line: int, name: str) -> None:
    if name in ("self", "cls", "_"):
        return
    measure.value_names += 1
    if VAGUE_VALUE.fullmatch(name.strip("_")):
        measure.vague_values.append(f"{path}:{line}: {name}")


def _body_without_docstring(function: Function) -> list[ast.stmt]:
    first = function.body[0]
    is_docstring = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return function.body[1:] if is_docstring else function.body


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _count_comment_lines(text: str) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(1 for token in tokens if token.type == tokenize.COMMENT)


def format_report(measures: dict[str, Measure]) -> list[str]:
    """Return a table, a column a folder, as the measures of the table's rows are compared."""
    rows: list[Sequence[object]] = [
        ["modules", *(measure.modules for measure in measures.values())],
        ["lines", *(measure.lines for measure in measures.values())],
        [
            "function lines, median / p90 / max",
            *map(_function_sizes, measures.values()),
        ],
        [
            "syntax nodes a body line",
            *(f"{m.nodes_per_line:.1f}" for m in measures.values()),
        ],
        [
            "syntax nodes a statement",
            *(f"{m.nodes_per_statement:.1f}" for m in measures.values()),
        ],
        ["bare participles", *(f"{m.participle_share:.1%}" for m in measures.values())],
        ["vague value names", *(f"{m.vague_share:.1%}" for m in measures.values())],
        [
            "comment lines",
            *(f"{m.comment_lines / max(1, m.lines):.1%}" for m in measures.values()),
        ],
        [
            "functions above 60 lines",
            *(len(m.long_functions) for m in measures.values()),
        ],
        ["files above 300 lines", *(len(m.long_files) for m in measures.values())],
    ]
    return report.format_table(["", *measures], rows)


def _function_sizes(measure: Measure) -> str:
    sizes = sorted(measure.function_lines)
    if not sizes:
        return "none"
    return (
        f"{statistics.median(sizes):g} / {sizes[int(len(sizes) * 0.9)]} / {sizes[-1]}"
    )


def _test_ratio(measures: dict[str, Measure]) -> str:
    source_lines = sum(measures[package].lines for package in PACKAGES)
    test_lines = measures["tests"].lines
    return f"Test lines to source lines: {test_lines / source_lines:.2f}."


def _complaints(measure: Measure) -> Iterator[str]:
    yield from measure.long_functions
    yield from measure.long_files
    yield from (f"{place} is a bare participle" for place in measure.participles)
    yield from (
        f"{place} says nothing of what it holds" for place in measure.vague_values
    )


def _default_folders() -> list[Path]:
    return [ROOT / name for name in (*PACKAGES, "benchmarks", "tests")]


def _title(folder: Path) -> str:
    return folder.name if folder.is_absolute() else str(folder)


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("style", __doc__)
    parser.add_argument(
        "folders", nargs="*", type=Path, metavar="FOLDER", help="other folders"
    )
    parser.add_argument(
        "--worst", type=int, default=0, metavar="N", help="list what to look at"
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
