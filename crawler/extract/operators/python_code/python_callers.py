"""Find the Python functions that call bound names, and pair each forward with its backward."""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Final

from crawler.extract.operators.python_code.documentation import (
    Documentation,
    DocumentedModule,
)
from crawler.model import Span

# a sieve over a Python file: what passes is parsed
_WORD: Final = re.compile(r"[A-Za-z_]\w{2,}")
# the path of a test: tests/test_nms.py, test/nms.py, nms_test.py
_TEST_PATH: Final = re.compile(r"(?:^|/)(?:tests?/|test_)|_test\.py$")
_MAX_FILE_BYTES: Final = 2 << 20
_MAX_CALLERS: Final = 12
_FORWARD_METHOD: Final = "forward"
_GRADIENT_METHODS: Final = frozenset({"backward", "vjp", "setup_context"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class PythonCaller:
    """A function or method that calls a bound name."""

    name: str
    """Qualified: `RoIAlignFunction.forward`."""
    span: Span
    class_name: str
    """The class that it is a method of."""
    documentation: Documentation | None = None
    """The nearest docstring of its file: its own, or that of what leads to it."""

    @property
    def is_gradient(self) -> bool:
        """Whether it is the method of a class that computes a gradient."""
        method = self.name.rpartition(".")[2]
        return bool(self.class_name) and method in _GRADIENT_METHODS


@dataclass(slots=True)
class _AutogradClass:
    """What the methods of a class call."""

    forward_names: list[str] = field(default_factory=list)
    gradient_names: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where in a file the walk stands."""

    names: tuple[str, ...] = ()
    function: _Function | None = None
    class_name: str = ""


def find_python_callers(
    root: Path, paths: Iterable[str], bound_names: Collection[str]
) -> dict[str, tuple[PythonCaller, ...]]:
    """Return who calls each of `bound_names` in the Python files of a tree, at most 12 each."""
    names = frozenset(bound_names)
    if not names:
        return {}

    callers_by_name: dict[str, dict[PythonCaller, None]] = defaultdict(dict)
    for path in paths:
        text = _read_text(root / path)
        # few files name an operator: the others are not parsed
        if names.isdisjoint(_WORD.findall(text)):
            continue

        for name, caller in _iter_callers(path, text, names):
            callers = callers_by_name[name]
            if len(callers) < _MAX_CALLERS:
                callers[caller] = None

    return {name: tuple(callers) for name, callers in callers_by_name.items()}


def choose_documentation(
    callers_by_name: Mapping[str, Sequence[PythonCaller]],
) -> dict[str, Documentation]:
    """Return the nearest docstring for each name that has any.

    Those of tests are left out: they say what is tried, not what the operator does.
    """
    documentation_by_name: dict[str, Documentation] = {}
    for name, callers in callers_by_name.items():
        documentations = [
            caller.documentation
            for caller in callers
            if caller.documentation and not _TEST_PATH.search(caller.span.path)
        ]
        if documentations:
            documentation_by_name[name] = min(
                documentations, key=attrgetter("distance")
            )

    return documentation_by_name


def pair_gradients(
    callers_by_name: dict[str, tuple[PythonCaller, ...]],
) -> dict[str, str]:
    """Return for each name the one that is its gradient, or whose gradient it is.

    Names are paired where the methods of one class call one each.
    """
    classes: dict[tuple[str, str], _AutogradClass] = defaultdict(_AutogradClass)
    for name, callers in callers_by_name.items():
        for caller in callers:
            if not caller.class_name:
                continue

            autograd_class = (caller.span.path, caller.class_name)
            if caller.is_gradient:
                classes[autograd_class].gradient_names.append(name)
            elif caller.name.rpartition(".")[2] == _FORWARD_METHOD:
                classes[autograd_class].forward_names.append(name)

    twin_by_name: dict[str, str] = {}
    for called in classes.values():
        # a class that calls several operators pairs none
        is_pair = len(called.forward_names) == len(called.gradient_names) == 1
        if not is_pair or called.forward_names == called.gradient_names:
            continue

        (forward,) = called.forward_names
        (gradient,) = called.gradient_names
        twin_by_name[forward] = gradient
        twin_by_name[gradient] = forward

    return twin_by_name


def _read_text(path: Path) -> str:
    """Return the beginning of a file; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_MAX_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _iter_callers(
    path: str, text: str, names: frozenset[str]
) -> Iterator[tuple[str, PythonCaller]]:
    """Yield (name, caller) of each use of some names in a file, in order."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return

    finder = _CallerFinder(path, text, names, _collect_global_names(tree))
    documented_module = DocumentedModule(tree)
    for name, caller in finder.find(tree):
        scopes = tuple(caller.name.split("."))
        documentation = documented_module.find_documentation(scopes)
        yield name, replace(caller, documentation=documentation)


def _collect_global_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that a file imports or gives a value at its top.

    A binding is reached through one of them.
    """
    names: set[str] = set()
    # imports count anywhere: extensions are often imported within functions
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                imported_name = alias.asname or alias.name
                names.add(imported_name.partition(".")[0])

    for statement in tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Try | ast.If):
            continue

        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)

    return frozenset(names)


def _read_used_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Constant):
        return str(node.value)
    return getattr(node, "id", "")


class _CallerFinder:
    """Walks a file with the functions and classes round each call."""

    def __init__(
        self,
        path: str,
        text: str,
        bound_names: frozenset[str],
        global_names: frozenset[str],
    ) -> None:
        self._path = path
        self._bound_names = bound_names
        self._global_names = global_names

        # `ast` counts in characters, spans in bytes
        self._line_starts = [0]

        for line in text.splitlines(keepends=True):
            line_bytes = len(line.encode("utf-8", "surrogatepass"))
            self._line_starts.append(self._line_starts[-1] + line_bytes)

    def find(self, tree: ast.Module) -> Iterator[tuple[str, PythonCaller]]:
        """Yield (name, caller) of each use, in order of the text."""
        # without recursion: expressions may be nested deeply
        pending: list[tuple[ast.AST, _Scope]] = [(tree, _Scope())]
        while pending:
            node, scope = pending.pop()
            if isinstance(node, ast.ClassDef):
                names = (*scope.names, node.name)
                scope = _Scope(names, scope.function, node.name)
            elif isinstance(node, _Function):
                names = (*scope.names, node.name)
                scope = _Scope(names, node, scope.class_name)
            # what runs at import, outside of functions, calls no operator
            elif scope.function is not None and self._is_use(node):
                caller = PythonCaller(
                    name=".".join(scope.names),
                    span=self._make_span(scope.function),
                    class_name=scope.class_name,
                )
                yield _read_used_name(node), caller

            # the last one in is the next one out: reversed, the text's order is kept
            children = list(ast.iter_child_nodes(node))
            pending += [(child, scope) for child in reversed(children)]

    def _is_use(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute) and node.attr in self._bound_names:
            # `torch.ops.library.add` begins at `torch`
            base = node.value
            while isinstance(base, ast.Attribute):
                base = base.value

            return isinstance(base, ast.Name) and base.id in self._global_names

        if isinstance(node, ast.Constant):
            # looked up by its name: only one that cannot be a common word
            value = node.value
            is_bound = isinstance(value, str) and value in self._bound_names
            return is_bound and "_" in str(value)

        # a plain name, imported by `from _C import add`
        if not isinstance(node, ast.Name):
            return False
        return node.id in self._bound_names and node.id in self._global_names

    def _make_span(self, function: _Function) -> Span:
        decorator_lines = [decorator.lineno for decorator in function.decorator_list]
        first_line = min([function.lineno, *decorator_lines])
        last_line = function.end_lineno or first_line
        end_index = min(last_line, len(self._line_starts) - 1)

        return Span(
            path=self._path,
            line=first_line,
            end_line=last_line,
            offset=self._line_starts[first_line - 1],
            end_offset=self._line_starts[end_index],
        )
