"""Evaluate Starlark expressions; what cannot be evaluated is unknown, never an error."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections import ChainMap
from collections.abc import Callable, Iterator
from typing import Any, Final

from crawler.builds.bazel import starlark_methods, starlark_operators, starlark_values
from crawler.builds.bazel.starlark_syntax import MACRO_PREFIX, Call, Function
from crawler.builds.bazel.starlark_values import Budget, Unknown, Unsupported

_MAX_DEPTH: Final = 120


class ExpressionEvaluator(ABC):
    """Evaluates expressions; `answer_call` answers every call of what is not written in a file.

    The method for a kind of node is found by its name, as `ast.NodeVisitor` does.
    """

    def __init__(self, answer_call: Callable[[Call], Any], budget: Budget) -> None:
        self._answer_call = answer_call
        self._budget = budget
        self._depth = 0

    @abstractmethod
    def call_macro(
        self, function: Function, positional: list[Any], named: dict[str, Any]
    ) -> Any:
        """Call a macro. Raises `Unsupported` where calls nest too deep."""

    def _evaluate(self, node: ast.expr, scope: ChainMap[str, Any]) -> Any:
        """Return an expression's value, unknown where this subset lacks a part of it."""
        self._budget.spend()
        method = getattr(self, f"_evaluate_{type(node).__name__.lower()}", None)
        # e.g. a lambda, or brackets nested by the thousand
        if method is None or self._depth >= _MAX_DEPTH:
            return Unknown()

        self._depth += 1

        try:
            return method(node, scope)
        except (Unsupported, RecursionError):
            return Unknown()
        finally:
            self._depth -= 1

    def _assign(self, target: ast.expr, value: Any, scope: ChainMap[str, Any]) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
            return

        if isinstance(target, ast.Tuple | ast.List):
            elements = target.elts
            values = list(starlark_values.iter_items(value))
            if not values:
                values = [Unknown()] * len(elements)

            for element, element_value in zip(elements, values, strict=False):
                self._assign(element, element_value, scope)

            return

        if isinstance(target, ast.Subscript):
            container = self._evaluate(target.value, scope)
            key = self._evaluate(target.slice, scope)

            if isinstance(container, dict) and isinstance(key, str | int):
                container[key] = value

    def _evaluate_constant(self, node: ast.Constant, _: ChainMap[str, Any]) -> Any:
        value = node.value
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int) and abs(value) < starlark_values.MAX_NUMBER:
            return value

        return Unknown()

    def _evaluate_name(self, node: ast.Name, scope: ChainMap[str, Any]) -> Any:
        # a name that is not defined is a function of the tool
        return scope.get(node.id, Unknown(node.id))

    def _evaluate_list(self, node: ast.List, scope: ChainMap[str, Any]) -> Any:
        return [self._evaluate(element, scope) for element in node.elts]

    def _evaluate_tuple(self, node: ast.Tuple, scope: ChainMap[str, Any]) -> Any:
        return tuple(self._evaluate(element, scope) for element in node.elts)

    def _evaluate_dict(self, node: ast.Dict, scope: ChainMap[str, Any]) -> Any:
        entries: dict[Any, Any] = {}
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            # `{**other}` has no key
            if key_node is None:
                continue

            key = self._evaluate(key_node, scope)
            value = self._evaluate(value_node, scope)
            entries[starlark_operators.to_dict_key(key)] = value

        return entries

    def _evaluate_binop(self, node: ast.BinOp, scope: ChainMap[str, Any]) -> Any:
        return starlark_operators.apply_binary_operator(
            node.op,
            self._evaluate(node.left, scope),
            self._evaluate(node.right, scope),
            self._budget,
        )

    def _evaluate_boolop(self, node: ast.BoolOp, scope: ChainMap[str, Any]) -> Any:
        # `or` ends at the first true value, `and` at the first false one
        ending_truth = isinstance(node.op, ast.Or)
        value: Any = None

        for operand in node.values:
            value = self._evaluate(operand, scope)
            if bool(value) is ending_truth:
                break

        return value

    def _evaluate_unaryop(self, node: ast.UnaryOp, scope: ChainMap[str, Any]) -> Any:
        value = self._evaluate(node.operand, scope)
        if isinstance(node.op, ast.Not):
            return not value
        if isinstance(node.op, ast.USub) and isinstance(value, int):
            return -value

        return Unknown()

    def _evaluate_ifexp(self, node: ast.IfExp, scope: ChainMap[str, Any]) -> Any:
        is_true = self._evaluate(node.test, scope)
        return self._evaluate(node.body if is_true else node.orelse, scope)

    def _evaluate_compare(self, node: ast.Compare, scope: ChainMap[str, Any]) -> Any:
        first = self._evaluate(node.left, scope)
        second = self._evaluate(node.comparators[0], scope)
        # Starlark has no chained comparisons
        if len(node.ops) != 1:
            raise Unsupported

        return starlark_operators.compare_values(
            node.ops[0], first, second, self._budget
        )

    def _evaluate_listcomp(self, node: ast.ListComp, scope: ChainMap[str, Any]) -> Any:
        return [
            self._evaluate(node.elt, inner_scope)
            for inner_scope in self._iter_scopes(node.generators, scope.new_child())
        ]

    def _evaluate_dictcomp(self, node: ast.DictComp, scope: ChainMap[str, Any]) -> Any:
        entries: dict[Any, Any] = {}
        for inner_scope in self._iter_scopes(node.generators, scope.new_child()):
            key = self._evaluate(node.key, inner_scope)
            value = self._evaluate(node.value, inner_scope)
            entries[starlark_operators.to_dict_key(key)] = value

        return entries

    def _iter_scopes(
        self, generators: list[ast.comprehension], scope: ChainMap[str, Any]
    ) -> Iterator[ChainMap[str, Any]]:
        """Yield the scope for each round of a comprehension; it is one and the same."""
        if not generators:
            yield scope
            return

        first, *inner_generators = generators
        items = list(starlark_values.iter_items(self._evaluate(first.iter, scope)))

        for item in items:
            self._budget.spend()
            self._assign(first.target, item, scope)

            if all(self._evaluate(condition, scope) for condition in first.ifs):
                yield from self._iter_scopes(inner_generators, scope)

    def _evaluate_subscript(
        self, node: ast.Subscript, scope: ChainMap[str, Any]
    ) -> Any:
        container = self._evaluate(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            bounds = [
                bound and self._evaluate(bound, scope)
                for bound in (node.slice.lower, node.slice.upper, node.slice.step)
            ]

            return starlark_operators.slice_value(container, bounds, self._budget)

        key = self._evaluate(node.slice, scope)
        if not isinstance(container, str | list | tuple | dict):
            return Unknown()

        try:
            return container[key]
        except (TypeError, LookupError) as error:
            raise Unsupported from error

    def _evaluate_attribute(
        self, node: ast.Attribute, scope: ChainMap[str, Any]
    ) -> Any:
        value = self._evaluate(node.value, scope)
        # e.g. `native.cc_library`
        if isinstance(value, Unknown):
            return Unknown(f"{value.name}.{node.attr}")

        return Unknown(node.attr)

    def _evaluate_call(self, node: ast.Call, scope: ChainMap[str, Any]) -> Any:
        # first, so that calls in the arguments declare their targets first
        positional, named = self._evaluate_arguments(node, scope)
        if isinstance(node.func, ast.Attribute):
            value = self._evaluate(node.func.value, scope)
            if not isinstance(value, Unknown):
                return starlark_methods.call_method(
                    value, node.func.attr, positional, named, self._budget
                )

        function = self._evaluate(node.func, scope)
        if isinstance(function, Function):
            return self._report_macro_call(function, positional, named)

        name = function.name if isinstance(function, Unknown) else ""
        if not name:
            name = _get_called_name(node.func)

        return self._answer_call(Call(name, positional, named))

    def _report_macro_call(
        self, function: Function, positional: list[Any], named: dict[str, Any]
    ) -> Any:
        """Call a macro, and report the call itself behind those in the macro.

        A macro may pass its sources to a rule in a way that is not understood.
        """
        result = self.call_macro(function, positional, named)
        name = MACRO_PREFIX + function.node.name
        self._answer_call(Call(name, positional, named))

        return result

    def _evaluate_arguments(
        self, node: ast.Call, scope: ChainMap[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        for argument in node.args:
            # `*sources`
            if isinstance(argument, ast.Starred):
                values = self._evaluate(argument.value, scope)
                positional += starlark_values.iter_items(values)
            else:
                value = self._evaluate(argument, scope)
                positional.append(value)

        named: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self._evaluate(keyword.value, scope)
            if keyword.arg:
                named[keyword.arg] = value
                continue

            # `**kwargs`
            if not isinstance(value, dict):
                continue

            for name, inner_value in value.items():
                if isinstance(name, str):
                    named[name] = inner_value

        self._budget.spend(len(positional) + len(named))

        return positional, named


def _get_called_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr

    name: str = getattr(node, "id", "")

    return name
