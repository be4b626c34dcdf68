"""Compile a module so that failing statements are skipped."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import sys
import traceback
from itertools import count
from types import CodeType
from typing import Any, Final

from crawler.builds.setup_py.stand_ins.placeholder import Placeholder

# Names among the builtins, for the code that is woven into modules.
_PLACEHOLDER_NAME: Final = "__anything__"
_REPORT_NAME: Final = "__stepped_over__"
_BLOCK_FIELDS: Final = ("body", "orelse", "finalbody", "handlers", "cases")
_MAX_REPORTS: Final = 20
_report_count = count()
_SIMPLE_STATEMENTS: Final = (
    ast.Expr,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Return,
    ast.Delete,
    ast.Import,
    ast.ImportFrom,
)
_COMPOUND_STATEMENTS: Final = (
    ast.If,
    ast.For,
    ast.While,
    ast.With,
    ast.FunctionDef,
    ast.ClassDef,
)


class FailureSkippingLoader(importlib.machinery.SourceFileLoader):
    """Loads a module of the project, and skips its failing statements."""

    def source_to_code(self, data: Any, path: Any, **_: Any) -> CodeType:  # type: ignore[override]
        """Compile a module that goes on where it fails."""
        return compile_skipping_failures(data, str(path))


def compile_skipping_failures(source: str | bytes, name: str) -> CodeType:
    """Compile `source` so that a statement which fails is skipped, and `raise` does nothing."""
    builtin_names = vars(builtins)
    builtin_names[_PLACEHOLDER_NAME] = Placeholder
    builtin_names[_REPORT_NAME] = _report_skipped

    every_statement = (*_SIMPLE_STATEMENTS, *_COMPOUND_STATEMENTS)

    for wrapped_kinds in (every_statement, _SIMPLE_STATEMENTS):
        try:
            tree = ast.parse(source)
            _StatementWrapper(wrapped_kinds).wrap_blocks(tree)
            return compile(tree, name, "exec")
        except SyntaxError:
            # Python allows twenty blocks inside each other, and each `try` is one.
            continue

    return compile(source, name, "exec")


class _StatementWrapper:
    """Wraps statements in `try`.

    It visits statements alone, since expressions are most of a tree.
    """

    def __init__(self, wrapped_kinds: tuple[type[ast.stmt], ...]) -> None:
        self._wrapped_kinds = wrapped_kinds

    def wrap_blocks(self, node: ast.AST) -> None:
        """Wrap the statements of every block in `node`."""
        for field in _BLOCK_FIELDS:
            statements = getattr(node, field, None)
            if not isinstance(statements, list):
                continue

            for statement in statements:
                self.wrap_blocks(statement)

            # A program that catches the failures of a block means to see them.
            has_handlers = isinstance(node, ast.Try) and bool(node.handlers)
            if field != "body" or not has_handlers:
                statements[:] = map(self._wrap, statements)

    def _wrap(self, node: Any) -> Any:
        if isinstance(node, ast.Raise | ast.Assert):
            return ast.copy_location(ast.Pass(), node)
        if not isinstance(node, self._wrapped_kinds) or _must_stay(node):
            return node

        handler = ast.ExceptHandler(
            type=ast.Name("BaseException", ast.Load()),
            name=None,
            body=[
                ast.Expr(_call(_REPORT_NAME)),
                *(_bind_placeholder(name) for name in _list_bound_names(node)),
            ],
        )

        wrapper = ast.Try(
            body=[],
            handlers=[handler],
            orelse=[],
            finalbody=[],
        )

        ast.fix_missing_locations(ast.copy_location(wrapper, node))
        # Only now, so that the statement keeps its own locations.
        wrapper.body.append(node)

        return wrapper


def _report_skipped() -> None:
    """Print the failure that is being handled, and where it was raised."""
    error = sys.exc_info()[1]
    if error is None or next(_report_count) >= _MAX_REPORTS:
        return

    frame = traceback.extract_tb(error.__traceback__)[-1]
    print(  # noqa: T201
        f"stepped over {type(error).__name__}: {error} ({frame.filename}:{frame.lineno})"
    )


def _must_stay(node: ast.stmt) -> bool:
    """Tell whether a statement may not be wrapped, or would mean something else then."""
    if isinstance(node, ast.ImportFrom):
        imports_all = any(alias.name == "*" for alias in node.names)
        return node.module == "__future__" or imports_all

    # Docstrings, and `yield` in a generator.
    return isinstance(node, ast.Expr) and isinstance(
        node.value, ast.Constant | ast.Yield | ast.YieldFrom
    )


def _bind_placeholder(name: str) -> ast.stmt:
    target = ast.Name(name, ast.Store())
    return ast.Assign(targets=[target], value=_call(_PLACEHOLDER_NAME))


def _call(name: str) -> ast.Call:
    return ast.Call(
        func=ast.Name(name, ast.Load()),
        args=[],
        keywords=[],
    )


def _list_bound_names(node: ast.stmt) -> list[str]:
    """Return the names that a statement would have bound."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.asname or alias.name for alias in node.names]
        return [name.partition(".")[0] for name in names]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]

    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]

    bound_names: list[str] = []
    for target in targets:
        for node_inside in ast.walk(target):
            # `a` of `a, b.c[d] = …`, and not `b` or `d`, which it reads
            if not isinstance(node_inside, ast.Name):
                continue
            if isinstance(node_inside.ctx, ast.Store):
                bound_names.append(node_inside.id)

    return bound_names
