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

_ANYTHING: Final = "__anything__"
_STEPPED: Final = "__stepped_over__"
_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases")
_MOST_TOLD: Final = 20
_told = count()
_SIMPLE: Final = (
    ast.Expr,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Return,
    ast.Delete,
    ast.Import,
    ast.ImportFrom,
)
_COMPOUND: Final = (ast.If, ast.For, ast.While, ast.With, ast.FunctionDef, ast.ClassDef)


class FailureSkippingLoader(importlib.machinery.SourceFileLoader):
    """Loads a module of the project so that its failures are stepped over."""

    def source_to_code(self, data: Any, path: Any, **_: Any) -> CodeType:  # type: ignore[override]
        """Compile a module that goes on where it fails."""
        return compile_skipping_failures(data, str(path))


def compile_skipping_failures(source: str | bytes, name: str) -> CodeType:
    """Compile `source` so that a statement which fails is skipped, and `raise` does nothing."""
    vars(builtins).update({_ANYTHING: Placeholder, _STEPPED: _tell})
    for wrapped in ((*_SIMPLE, *_COMPOUND), _SIMPLE):
        try:
            tree = ast.parse(source)
            _Steps(wrapped).within(tree)
            return compile(tree, name, "exec")
        except SyntaxError:
            # Python allows twenty blocks inside each other
            continue
    return compile(source, name, "exec")


class _Steps:
    """Wraps statements, and only looks at those: expressions are most of a tree."""

    def __init__(self, wrapped: tuple[type[ast.stmt], ...]) -> None:
        self._wrapped = wrapped

    def within(self, node: ast.AST) -> None:
        """Wrap the statements of every block in `node`."""
        for block in _BLOCKS:
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                for one in statements:
                    self.within(one)
                # a program that catches its own failures means to
                if block != "body" or not (isinstance(node, ast.Try) and node.handlers):
                    statements[:] = map(self._step, statements)

    def _step(self, node: Any) -> Any:
        if isinstance(node, ast.Raise | ast.Assert):
            return ast.copy_location(ast.Pass(), node)
        if not isinstance(node, self._wrapped) or _must_stand(node):
            return node
        told = ast.Expr(
            ast.Call(func=ast.Name(_STEPPED, ast.Load()), args=[], keywords=[])
        )
        caught = ast.ExceptHandler(
            type=ast.Name("BaseException", ast.Load()),
            name=None,
            body=[told, *map(_bind, _names(node))],
        )
        made = ast.Try(body=[], handlers=[caught], orelse=[], finalbody=[])
        ast.fix_missing_locations(ast.copy_location(made, node))
        made.body.append(node)
        return made


def _tell() -> None:
    """Print what was stepped over."""
    error = sys.exc_info()[1]
    if error is not None and next(_told) < _MOST_TOLD:
        where = traceback.extract_tb(error.__traceback__)[-1]
        print(  # noqa: T201
            f"stepped over {type(error).__name__}: {error} ({where.filename}:{where.lineno})"
        )


def _must_stand(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__" or any(
            name.name == "*" for name in node.names
        )
    return isinstance(node, ast.Expr) and isinstance(
        node.value, ast.Constant | ast.Yield | ast.YieldFrom
    )


def _bind(name: str) -> ast.stmt:
    made = ast.Call(func=ast.Name(_ANYTHING, ast.Load()), args=[], keywords=[])
    return ast.Assign(targets=[ast.Name(name, ast.Store())], value=made)


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(name.asname or name.name).partition(".")[0] for name in node.names]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return [
        one.id
        for target in targets
        for one in ast.walk(target)
        if isinstance(one, ast.Name) and _stored(one)
    ]


def _stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)
