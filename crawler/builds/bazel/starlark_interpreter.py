"""Interpreter for a subset of Starlark, over the syntax tree of `ast`."""

from __future__ import annotations

import ast
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

from crawler.builds.bazel import starlark_operators, starlark_values
from crawler.builds.bazel.starlark_values import (
    Budget,
    BudgetExceeded,
    Unknown,
    Unsupported,
)

MAX_FILE_CHARS: Final = 2 << 20
_DEEPEST: Final = 120
_MOST_FRAMES: Final = 16
MACRO_PREFIX: Final = "def "
"""What the name of a macro's own call begins with; it comes after the calls inside."""

Scope = MutableMapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A macro, where it was written."""

    node: ast.FunctionDef
    scope: ChainMap[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of something that is not written in Starlark: a rule, or a function of the tool."""

    name: str
    positional: list[Any]
    named: dict[str, Any]


class _Leave(Exception):
    def __init__(self, value: Any = None) -> None:
        self.value = value


class _Stop(Exception): ...


class _Next(Exception): ...


def parse_starlark(text: str) -> ast.Module:
    """Return the syntax tree of a file. Raises `Refused` where it is no Python either, or too
    large.
    """
    if len(text) > MAX_FILE_CHARS:
        raise Unsupported
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unsupported from error


class Interpreter:
    """Runs files and macros; `called` answers every call of what is not written in them."""

    def __init__(self, answer_call: Callable[[Call], Any], budget: Budget) -> None:
        self._called = answer_call
        self._budget = budget
        self._depth = self._frames = 0

    def run_module(self, module: ast.Module, scope: Scope) -> None:
        """Run a file's statements; what cannot be run is left out. Raises `OverBudget`."""
        chain = scope if isinstance(scope, ChainMap) else ChainMap(scope)
        for statement in module.body:
            try:
                self._statement(statement, chain)
            except (_Leave, _Stop, _Next):
                continue

    def invoke(
        self, function: Function, positional: list[Any], named: dict[str, Any]
    ) -> Any:
        """Call a macro. Raises `Refused` where calls nest too deep."""
        if self._frames >= _MOST_FRAMES:
            raise Unsupported
        scope = function.scope.new_child(self._bound(function, positional, named))
        self._frames += 1
        depth, self._depth = self._depth, 0
        try:
            self._block(function.node.body, scope)
        except _Leave as left:
            return left.value
        finally:
            self._frames -= 1
            self._depth = depth
        return None

    def _bound(
        self, function: Function, positional: list[Any], named: dict[str, Any]
    ) -> dict[str, Any]:
        given = function.node.args
        names = [one.arg for one in (*given.posonlyargs, *given.args)]
        defaults = dict(
            zip(names[len(names) - len(given.defaults) :], given.defaults, strict=True)
        )
        defaults |= {
            one.arg: value
            for one, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
            if value
        }
        bound = {
            name: self._value(value, function.scope) for name, value in defaults.items()
        }
        known = {*names, *(one.arg for one in given.kwonlyargs)}
        bound |= {name: Unknown(name) for name in known - bound.keys()}
        bound |= dict(zip(names, positional, strict=False))
        bound |= {name: value for name, value in named.items() if name in known}
        if given.vararg:
            bound[given.vararg.arg] = positional[len(names) :]
        if given.kwarg:
            bound[given.kwarg.arg] = {
                name: value for name, value in named.items() if name not in known
            }
        return bound

    def _block(self, statements: list[ast.stmt], scope: ChainMap[str, Any]) -> None:
        for statement in statements:
            self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: ChainMap[str, Any]) -> None:
        self._budget.spend()
        run = getattr(self, f"_run_{type(node).__name__.lower()}", None)
        if run is not None:
            run(node, scope)

    def _run_expr(self, node: ast.Expr, scope: ChainMap[str, Any]) -> None:
        self._value(node.value, scope)

    def _run_assign(self, node: ast.Assign, scope: ChainMap[str, Any]) -> None:
        value = self._value(node.value, scope)
        for target in node.targets:
            self._assign(target, value, scope)

    def _run_augassign(self, node: ast.AugAssign, scope: ChainMap[str, Any]) -> None:
        if isinstance(node.target, ast.Name):
            held = scope.get(node.target.id, Unknown(node.target.id))
            scope[node.target.id] = starlark_operators.apply_binary_operator(
                node.op, held, self._value(node.value, scope), self._budget
            )

    def _run_functiondef(
        self, node: ast.FunctionDef, scope: ChainMap[str, Any]
    ) -> None:
        scope[node.name] = Function(node, scope)

    def _run_if(self, node: ast.If, scope: ChainMap[str, Any]) -> None:
        self._block(node.body if self._value(node.test, scope) else node.orelse, scope)

    def _run_for(self, node: ast.For, scope: ChainMap[str, Any]) -> None:
        for value in list(starlark_values.iter_items(self._value(node.iter, scope))):
            self._budget.spend()
            self._assign(node.target, value, scope)
            try:
                self._block(node.body, scope)
            except _Next:
                continue
            except _Stop:
                break

    def _run_return(self, node: ast.Return, scope: ChainMap[str, Any]) -> None:
        raise _Leave(None if node.value is None else self._value(node.value, scope))

    def _run_break(self, node: ast.Break, scope: ChainMap[str, Any]) -> None:
        raise _Stop

    def _run_continue(self, node: ast.Continue, scope: ChainMap[str, Any]) -> None:
        raise _Next

    def _assign(self, target: ast.expr, value: Any, scope: ChainMap[str, Any]) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            parts = [*starlark_values.iter_items(value)]
            for inner, one in zip(
                target.elts, parts or [Unknown()] * len(target.elts), strict=False
            ):
                self._assign(inner, one, scope)
        elif isinstance(target, ast.Subscript):
            held, key = (
                self._value(target.value, scope),
                self._value(target.slice, scope),
            )
            if isinstance(held, dict) and isinstance(key, str | int):
                held[key] = value

    def _value(self, node: ast.expr, scope: ChainMap[str, Any]) -> Any:
        """Return an expression's value, unknown where it has something that this subset has not."""
        self._budget.spend()
        find = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        if find is None or self._depth >= _DEEPEST:
            return Unknown()
        self._depth += 1
        try:
            return find(node, scope)
        except (Unsupported, RecursionError):
            return Unknown()
        finally:
            self._depth -= 1

    def _of_constant(self, node: ast.Constant, _: ChainMap[str, Any]) -> Any:
        small = (
            isinstance(node.value, int) and abs(node.value) < starlark_values.MAX_NUMBER
        )
        return (
            node.value
            if node.value is None or small or isinstance(node.value, str)
            else Unknown()
        )

    def _of_name(self, node: ast.Name, scope: ChainMap[str, Any]) -> Any:
        return scope.get(node.id, Unknown(node.id))

    def _of_list(self, node: ast.List, scope: ChainMap[str, Any]) -> Any:
        return [self._value(one, scope) for one in node.elts]

    def _of_tuple(self, node: ast.Tuple, scope: ChainMap[str, Any]) -> Any:
        return tuple(self._value(one, scope) for one in node.elts)

    def _of_dict(self, node: ast.Dict, scope: ChainMap[str, Any]) -> Any:
        pairs = (
            (self._value(key, scope), value)
            for key, value in zip(node.keys, node.values, strict=True)
            if key
        )
        return {
            starlark_operators.to_dict_key(key): self._value(value, scope)
            for key, value in pairs
        }

    def _of_binop(self, node: ast.BinOp, scope: ChainMap[str, Any]) -> Any:
        return starlark_operators.apply_binary_operator(
            node.op,
            self._value(node.left, scope),
            self._value(node.right, scope),
            self._budget,
        )

    def _of_boolop(self, node: ast.BoolOp, scope: ChainMap[str, Any]) -> Any:
        stops_at = isinstance(node.op, ast.Or)
        value: Any = None
        for one in node.values:
            value = self._value(one, scope)
            if bool(value) is stops_at:
                break
        return value

    def _of_unaryop(self, node: ast.UnaryOp, scope: ChainMap[str, Any]) -> Any:
        value = self._value(node.operand, scope)
        if isinstance(node.op, ast.Not):
            return not value
        return (
            -value
            if isinstance(node.op, ast.USub) and isinstance(value, int)
            else Unknown()
        )

    def _of_ifexp(self, node: ast.IfExp, scope: ChainMap[str, Any]) -> Any:
        return self._value(
            node.body if self._value(node.test, scope) else node.orelse, scope
        )

    def _of_compare(self, node: ast.Compare, scope: ChainMap[str, Any]) -> Any:
        left, right = (
            self._value(node.left, scope),
            self._value(node.comparators[0], scope),
        )
        if len(node.ops) != 1:
            raise Unsupported
        return starlark_operators.compare_values(node.ops[0], left, right, self._budget)

    def _of_listcomp(self, node: ast.ListComp, scope: ChainMap[str, Any]) -> Any:
        return [
            self._value(node.elt, inner)
            for inner in self._rounds(node.generators, scope.new_child())
        ]

    def _of_dictcomp(self, node: ast.DictComp, scope: ChainMap[str, Any]) -> Any:
        rounds = self._rounds(node.generators, scope.new_child())
        return {
            starlark_operators.to_dict_key(self._value(node.key, inner)): self._value(
                node.value, inner
            )
            for inner in rounds
        }

    def _rounds(
        self, generators: list[ast.comprehension], scope: ChainMap[str, Any]
    ) -> Iterator[ChainMap[str, Any]]:
        if not generators:
            yield scope
            return
        first, *others = generators
        for value in list(starlark_values.iter_items(self._value(first.iter, scope))):
            self._budget.spend()
            self._assign(first.target, value, scope)
            if all(self._value(test, scope) for test in first.ifs):
                yield from self._rounds(others, scope)

    def _of_subscript(self, node: ast.Subscript, scope: ChainMap[str, Any]) -> Any:
        held = self._value(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            bounds = [
                one and self._value(one, scope)
                for one in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return starlark_operators.slice_value(held, bounds, self._budget)
        key = self._value(node.slice, scope)
        try:
            return (
                held[key] if isinstance(held, str | list | tuple | dict) else Unknown()
            )
        except (TypeError, LookupError) as error:
            raise Unsupported from error

    def _of_attribute(self, node: ast.Attribute, scope: ChainMap[str, Any]) -> Any:
        held = self._value(node.value, scope)
        return (
            Unknown(f"{held.name}.{node.attr}")
            if isinstance(held, Unknown)
            else Unknown(node.attr)
        )

    def _of_call(self, node: ast.Call, scope: ChainMap[str, Any]) -> Any:
        positional, named = self._arguments(node, scope)
        if isinstance(node.func, ast.Attribute):
            held = self._value(node.func.value, scope)
            if not isinstance(held, Unknown):
                return self._method(held, node.func.attr, positional, named)
        function = self._value(node.func, scope)
        if isinstance(function, Function):
            return self._macro(function, positional, named)
        name = (
            function.name
            if isinstance(function, Unknown) and function.name
            else _written(node.func)
        )
        return self._called(Call(name, positional, named))

    def _macro(
        self, function: Function, positional: list[Any], named: dict[str, Any]
    ) -> Any:
        """Call a macro; what it is given counts as a call of its own, too, where it has a name."""
        made = self.invoke(function, positional, named)
        self._called(Call(MACRO_PREFIX + function.node.name, positional, named))
        return made

    def _arguments(
        self, node: ast.Call, scope: ChainMap[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        for one in node.args:
            if isinstance(one, ast.Starred):
                positional += starlark_values.iter_items(self._value(one.value, scope))
            else:
                positional.append(self._value(one, scope))
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self._value(keyword.value, scope)
            if keyword.arg:
                named[keyword.arg] = value
            elif isinstance(value, dict):
                named |= {
                    name: inner
                    for name, inner in value.items()
                    if isinstance(name, str)
                }
        self._budget.spend(len(positional) + len(named))
        return positional, named

    def _method(
        self, held: Any, name: str, positional: list[Any], named: dict[str, Any]
    ) -> Any:
        if isinstance(held, str):
            return starlark_values.call_string_method(
                held, name, positional, named, self._budget
            )
        if isinstance(held, list):
            return starlark_values.call_list_method(
                held, name, positional, self._budget
            )
        if isinstance(held, dict):
            return starlark_values.call_dict_method(
                held, name, positional, named, self._budget
            )
        raise Unsupported


def _written(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


__all__ = [
    "MACRO_PREFIX",
    "Budget",
    "BudgetExceeded",
    "Call",
    "Function",
    "Interpreter",
    "parse_starlark",
]
