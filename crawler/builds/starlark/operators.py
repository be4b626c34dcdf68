"""Operators of Starlark on the values of this subset, each at a bounded cost."""

from __future__ import annotations

import ast
from typing import Any, Final

from crawler.builds.starlark import values
from crawler.builds.starlark.values import Budget, Refused, Unknown

_ORDER: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def binary(operator: ast.operator, left: Any, right: Any, budget: Budget) -> Any:
    """Return what an operator of two sides gives. Raises `Refused` for one that this subset has not."""
    if isinstance(operator, ast.Add | ast.BitOr):
        return values.add(left, right, budget)
    if isinstance(operator, ast.Mod):
        return values.percent(left, right, budget)
    if isinstance(operator, ast.Mult):
        return values.multiply(left, right, budget)
    raise Refused


def key(value: Any) -> Any:
    """Return a value as a key of a dictionary, unknown where it can be none."""
    return value if isinstance(value, str | int | None) or _is_key(value) else Unknown()


def _is_key(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str | int) for one in value)


def sliced(held: Any, bounds: list[Any], budget: Budget) -> Any:
    """Return a part of a text or a list, `bounds` being its begin, end and step."""
    if not isinstance(held, str | list | tuple) or not all(one is None or isinstance(one, int) for one in bounds):
        raise Refused
    budget.pay(1 + len(held))
    return held[slice(*bounds)] if bounds[2] != 0 else Unknown()


def compared(operator: ast.cmpop, left: Any, right: Any, budget: Budget) -> Any:
    """Return what a comparison gives. Raises `Refused` where it has no meaning."""
    if isinstance(operator, ast.In | ast.NotIn):
        if not isinstance(right, str | list | tuple | dict) or (isinstance(right, str) and not isinstance(left, str)):
            raise Refused
        budget.pay(1 + len(right) // 16)
        return _within(left, right) is isinstance(operator, ast.In)
    if isinstance(operator, ast.Eq | ast.NotEq):
        return _equal(left, right, budget) is isinstance(operator, ast.Eq)
    if type(left) is not type(right) or not isinstance(left, str | int) or not isinstance(operator, _ORDER):
        raise Refused
    less = left < right or (left == right and isinstance(operator, ast.LtE | ast.GtE))
    more = left > right or (left == right and isinstance(operator, ast.LtE | ast.GtE))
    return less if isinstance(operator, ast.Lt | ast.LtE) else more


def _equal(left: Any, right: Any, budget: Budget) -> bool:
    """Compare scalars and flat lists: nested ones that share their parts would take for ever."""
    if isinstance(left, list) and isinstance(right, list):
        budget.pay(1 + len(left) + len(right))
        if not all(isinstance(one, str | int | None) for one in (*left, *right)):
            raise Refused
    elif isinstance(left, list | tuple | dict) or isinstance(right, list | tuple | dict):
        return len(left) == len(right) == 0 if type(left) is type(right) else False
    return bool(left == right)


def _within(value: Any, held: Any) -> bool:
    if isinstance(held, str):
        return value in held
    return isinstance(value, str | int) and any(isinstance(one, str | int) and one == value for one in held)
