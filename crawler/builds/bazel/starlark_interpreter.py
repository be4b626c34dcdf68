"""Interpreter for a subset of Starlark, over the syntax tree of `ast`."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, MutableMapping
from typing import Any, Final

from crawler.builds.bazel import starlark_operators, starlark_values
from crawler.builds.bazel.starlark_expressions import ExpressionEvaluator
from crawler.builds.bazel.starlark_syntax import (
    MACRO_PREFIX,
    Call,
    Function,
    parse_starlark,
)
from crawler.builds.bazel.starlark_values import (
    Budget,
    BudgetExceeded,
    Unknown,
    Unsupported,
)

__all__ = [
    "MACRO_PREFIX",
    "Budget",
    "BudgetExceeded",
    "Call",
    "Function",
    "Interpreter",
    "parse_starlark",
]

_MAX_FRAMES: Final = 16

Scope = MutableMapping[str, Any]


class _Return(Exception):
    def __init__(self, value: Any = None) -> None:
        self.value = value


class _Break(Exception): ...


class _Continue(Exception): ...


class Interpreter(ExpressionEvaluator):
    """Runs files and macros; `answer_call` answers every call of what is not written in them."""

    def __init__(self, answer_call: Callable[[Call], Any], budget: Budget) -> None:
        super().__init__(answer_call, budget)
        self._frames = 0

    def run_module(self, module: ast.Module, scope: Scope) -> None:
        """Run a file's statements, as far as they can be. Raises `BudgetExceeded`."""
        chain = scope if isinstance(scope, ChainMap) else ChainMap(scope)
        for statement in module.body:
            try:
                self._run(statement, chain)
            except (_Return, _Break, _Continue):
                # outside of a function or loop; Starlark forbids it, `ast` parses it
                continue
            except RecursionError:
                # e.g. a chain of a thousand `elif`
                continue

    def call_macro(
        self, function: Function, positional: list[Any], named: dict[str, Any]
    ) -> Any:
        """Call a macro. Raises `Unsupported` where calls nest too deep."""
        if self._frames >= _MAX_FRAMES:
            raise Unsupported

        arguments = self._bind_arguments(function, positional, named)
        scope = function.scope.new_child(arguments)
        # the depth is that of one expression, calls have a bound of their own
        outer_depth = self._depth
        self._depth = 0
        self._frames += 1

        try:
            self._run_block(function.node.body, scope)
        except _Return as returned:
            return returned.value
        finally:
            self._frames -= 1
            self._depth = outer_depth

        return None

    def _bind_arguments(
        self, function: Function, positional: list[Any], named: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the values of a macro's parameters, unknown for what the call leaves out."""
        parameters = function.node.args
        positional_names = [
            parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)
        ]
        keyword_names = [parameter.arg for parameter in parameters.kwonlyargs]
        names = {*positional_names, *keyword_names}

        bound = {
            name: self._evaluate(default, function.scope)
            for name, default in _collect_defaults(parameters).items()
        }

        for name in names - bound.keys():
            # overwritten below where the call gives it
            bound[name] = Unknown(name)

        bound.update(zip(positional_names, positional, strict=False))
        extra_named: dict[str, Any] = {}

        for name, value in named.items():
            if name in names:
                bound[name] = value
            else:
                extra_named[name] = value

        if parameters.vararg:
            bound[parameters.vararg.arg] = positional[len(positional_names) :]

        if parameters.kwarg:
            bound[parameters.kwarg.arg] = extra_named

        return bound

    def _run_block(self, statements: list[ast.stmt], scope: ChainMap[str, Any]) -> None:
        for statement in statements:
            self._run(statement, scope)

    def _run(self, node: ast.stmt, scope: ChainMap[str, Any]) -> None:
        self._budget.spend()
        method = getattr(self, f"_run_{type(node).__name__.lower()}", None)

        # `import`, `class` and `while` are no statements of Starlark
        if method is not None:
            method(node, scope)

    def _run_expr(self, node: ast.Expr, scope: ChainMap[str, Any]) -> None:
        self._evaluate(node.value, scope)

    def _run_assign(self, node: ast.Assign, scope: ChainMap[str, Any]) -> None:
        value = self._evaluate(node.value, scope)
        for target in node.targets:
            self._assign(target, value, scope)

    def _run_augassign(self, node: ast.AugAssign, scope: ChainMap[str, Any]) -> None:
        if not isinstance(node.target, ast.Name):
            return

        name = node.target.id
        scope[name] = starlark_operators.apply_binary_operator(
            node.op,
            scope.get(name, Unknown(name)),
            self._evaluate(node.value, scope),
            self._budget,
        )

    def _run_functiondef(
        self, node: ast.FunctionDef, scope: ChainMap[str, Any]
    ) -> None:
        scope[node.name] = Function(node, scope)

    def _run_if(self, node: ast.If, scope: ChainMap[str, Any]) -> None:
        is_true = self._evaluate(node.test, scope)
        self._run_block(node.body if is_true else node.orelse, scope)

    def _run_for(self, node: ast.For, scope: ChainMap[str, Any]) -> None:
        iterable = self._evaluate(node.iter, scope)
        # a copy, since the body may append to the list
        for item in list(starlark_values.iter_items(iterable)):
            self._budget.spend()
            self._assign(node.target, item, scope)

            try:
                self._run_block(node.body, scope)
            except _Continue:
                continue
            except _Break:
                break

    def _run_return(self, node: ast.Return, scope: ChainMap[str, Any]) -> None:
        value = None
        if node.value is not None:
            value = self._evaluate(node.value, scope)

        raise _Return(value)

    def _run_break(self, node: ast.Break, scope: ChainMap[str, Any]) -> None:
        raise _Break

    def _run_continue(self, node: ast.Continue, scope: ChainMap[str, Any]) -> None:
        raise _Continue


def _collect_defaults(parameters: ast.arguments) -> dict[str, ast.expr]:
    """Map parameters to the expressions of their defaults, where they have one."""
    defaults: dict[str, ast.expr] = {}
    positional = [*parameters.posonlyargs, *parameters.args]
    first_with_default = len(positional) - len(parameters.defaults)

    for parameter, default in zip(
        positional[first_with_default:], parameters.defaults, strict=True
    ):
        defaults[parameter.arg] = default

    for parameter, keyword_default in zip(
        parameters.kwonlyargs, parameters.kw_defaults, strict=True
    ):
        if keyword_default is not None:
            defaults[parameter.arg] = keyword_default

    return defaults
