"""Find the Python functions that call bound names, and pair each forward with its backward."""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.model import Span

_WORD: Final = re.compile(r"[A-Za-z_]\w{2,}")
_LARGEST: Final = 2 << 20
_MOST_CALLERS: Final = 12
_GRADIENT: Final = frozenset({"backward", "vjp", "setup_context"})


@dataclass(frozen=True, slots=True)
class PythonCaller:
    """A function or method that calls a bound name."""

    name: str
    """Qualified: `RoIAlignFunction.forward`."""
    span: Span
    class_name: str
    """The class that it is a method of."""


def find_python_callers(
    root: Path, paths: Iterable[str], bound_names: Collection[str]
) -> dict[str, tuple[PythonCaller, ...]]:
    """Return who calls each of `bound_names` in the Python files of a tree."""
    found: dict[str, dict[PythonCaller, None]] = defaultdict(dict)
    wanted = frozenset(bound_names)
    for path in paths if wanted else ():
        text = _read(root / path)
        if not wanted.isdisjoint(_WORD.findall(text)):
            for name, caller in _in_file(path, text, wanted):
                if len(found[name]) < _MOST_CALLERS:
                    found[name][caller] = None
    return {name: tuple(known) for name, known in found.items()}


def pair_gradients(
    callers_by_name: dict[str, tuple[PythonCaller, ...]],
) -> dict[str, str]:
    """Return for each name the one that is its gradient, or whose gradient it is, where a class
    has both.
    """
    by_class: dict[tuple[str, str], dict[bool, list[str]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for name, known in callers_by_name.items():
        for caller in known:
            method = caller.name.rpartition(".")[2]
            if caller.class_name and (method in _GRADIENT or method == "forward"):
                by_class[(caller.span.path, caller.class_name)][
                    method in _GRADIENT
                ].append(name)
    paired: dict[str, str] = {}
    for pair in by_class.values():
        if len(pair[False]) == len(pair[True]) == 1 and pair[False] != pair[True]:
            paired[pair[False][0]], paired[pair[True][0]] = (
                pair[True][0],
                pair[False][0],
            )
    return paired


def _read(path: Path) -> str:
    try:
        with path.open("rb") as opened:
            return opened.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


def _in_file(
    path: str, text: str, wanted: frozenset[str]
) -> Iterator[tuple[str, PythonCaller]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    reader = _Reader(path, text, wanted, _globals(tree))
    reader.visit_all(tree)
    yield from reader.found


def _globals(tree: ast.Module) -> frozenset[str]:
    """Return the names that a file imports or gives a value at its top: a binding is reached
    through one of them.
    """
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(
                (alias.asname or alias.name).partition(".")[0] for alias in node.names
            )
    for node in tree.body:
        for one in (
            ast.walk(node)
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.Try | ast.If)
            else ()
        ):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                names.add(one.id)
    return frozenset(names)


def _named(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return (
        str(node.value) if isinstance(node, ast.Constant) else getattr(node, "id", "")
    )


class _Reader:
    """Walks a file with the functions and classes round each call."""

    def __init__(
        self, path: str, text: str, wanted: frozenset[str], known: frozenset[str]
    ) -> None:
        self._path = path
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(
                self._starts[-1] + len(line.encode("utf-8", "surrogatepass"))
            )
        self._wanted = wanted
        self._known = known
        self.found: list[tuple[str, PythonCaller]] = []

    def visit_all(self, tree: ast.Module) -> None:
        pending: list[tuple[ast.AST, tuple[str, ...], ast.AST | None, str]] = [
            (tree, (), None, "")
        ]
        while pending:
            node, names, function, owner = pending.pop()
            if isinstance(node, ast.ClassDef):
                names, owner = (*names, node.name), node.name
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                names, function = (*names, node.name), node
            elif function is not None and self._is_use(node):
                self.found.append(
                    (
                        _named(node),
                        PythonCaller(".".join(names), self._span(function), owner),
                    )
                )
            pending += [
                (child, names, function, owner)
                for child in reversed(list(ast.iter_child_nodes(node)))
            ]

    def _is_use(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute) and node.attr in self._wanted:
            base = node.value
            while isinstance(base, ast.Attribute):
                base = base.value
            return isinstance(base, ast.Name) and base.id in self._known
        if isinstance(node, ast.Constant):
            # looked up by its name: only one that cannot be a common word
            return (
                isinstance(node.value, str)
                and node.value in self._wanted
                and "_" in str(node.value)
            )
        return (
            isinstance(node, ast.Name)
            and node.id in self._wanted
            and node.id in self._known
        )

    def _span(self, function: ast.AST) -> Span:
        assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        first = min(
            [function.lineno, *(each.lineno for each in function.decorator_list)]
        )
        last = function.end_lineno or first
        return Span(
            path=self._path,
            line=first,
            end_line=last,
            offset=self._starts[first - 1],
            end_offset=self._starts[min(last, len(self._starts) - 1)],
        )
