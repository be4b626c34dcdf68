"""Starlark operators, comparisons and slices."""

from __future__ import annotations

import ast
from typing import Any, Final

from crawler.builds.bazel import starlark_values
from crawler.builds.bazel.starlark_values import Budget, Unknown, Unsupported

_ORDER: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def apply_binary_operator(
    operator: ast.operator, left: Any, right: Any, budget: Budget
) -> Any:
    """Return what an operator of two sides gives. Raises `Refused` for one that this subset has
    not.
    """
    if isinstance(operator, ast.Add | ast.BitOr):
        return starlark_values.add_values(left, right, budget)
    if isinstance(operator, ast.Mod):
        return starlark_values.format_percent(left, right, budget)
    if isinstance(operator, ast.Mult):
        return starlark_values.multiply_values(left, right, budget)
    raise Unsupported


def to_dict_key(value: Any) -> Any:
    """Return a value as a key of a dictionary, unknown where it can be none."""
    return value if isinstance(value, str | int | None) or _is_key(value) else Unknown()


def _is_key(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str | int) for one in value)


def slice_value(sequence: Any, bounds: list[Any], budget: Budget) -> Any:
    """Return a part of a text or a list, `bounds` being its begin, end and step."""
    if not isinstance(sequence, str | list | tuple) or not all(
        one is None or isinstance(one, int) for one in bounds
    ):
        raise Unsupported
    budget.spend(1 + len(sequence))
    return sequence[slice(*bounds)] if bounds[2] != 0 else Unknown()


def compare_values(operator: ast.cmpop, left: Any, right: Any, budget: Budget) -> Any:
    """Return what a comparison gives. Raises `Refused` where it has no meaning."""
    if isinstance(operator, ast.In | ast.NotIn):
        if not isinstance(right, str | list | tuple | dict) or (
            isinstance(right, str) and not isinstance(left, str)
        ):
            raise Unsupported
        budget.spend(1 + len(right) // 16)
        return _within(left, right) is isinstance(operator, ast.In)
    if isinstance(operator, ast.Eq | ast.NotEq):
        return _equal(left, right, budget) is isinstance(operator, ast.Eq)
    if (
        type(left) is not type(right)
        or not isinstance(left, str | int)
        or not isinstance(operator, _ORDER)
    ):
        raise Unsupported
    less = left < right or (left == right and isinstance(operator, ast.LtE | ast.GtE))
    more = left > right or (left == right and isinstance(operator, ast.LtE | ast.GtE))
    return less if isinstance(operator, ast.Lt | ast.LtE) else more


def _equal(left: Any, right: Any, budget: Budget) -> bool:
    """Compare scalars and flat lists: nested ones that share their parts would take for ever."""
    if isinstance(left, list) and isinstance(right, list):
        budget.spend(1 + len(left) + len(right))
        if not all(isinstance(one, str | int | None) for one in (*left, *right)):
            raise Unsupported
    elif isinstance(left, list | tuple | dict) or isinstance(
        right, list | tuple | dict
    ):
        return len(left) == len(right) == 0 if type(left) is type(right) else False
    return bool(left == right)


def _within(value: Any, held: Any) -> bool:
    if isinstance(held, str):
        return value in held
    return isinstance(value, str | int) and any(
        isinstance(one, str | int) and one == value for one in held
    )
