"""Starlark operators, comparisons and slices."""

from __future__ import annotations

import ast
from typing import Any, Final

from crawler.builds.bazel import starlark_values
from crawler.builds.bazel.starlark_values import Budget, Unknown, Unsupported

_ORDERING_OPERATORS: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_CHARS_A_STEP: Final = 16
_CONTAINERS: Final = (list, tuple, dict)


def apply_binary_operator(
    operator: ast.operator, left_value: Any, right_value: Any, budget: Budget
) -> Any:
    """Apply an operator of two sides. Raises `Unsupported` for one that this subset lacks."""
    if isinstance(operator, ast.Add | ast.BitOr):
        return starlark_values.add_values(left_value, right_value, budget)
    if isinstance(operator, ast.Mod):
        return starlark_values.format_percent(left_value, right_value, budget)
    if isinstance(operator, ast.Mult):
        return starlark_values.multiply_values(left_value, right_value, budget)

    raise Unsupported


def to_dict_key(value: Any) -> Any:
    """Return a value as a key of a dictionary, unknown where it cannot be one."""
    if isinstance(value, str | int | None):
        return value
    # a tuple may hold lists, which have no hash
    if isinstance(value, tuple) and all(isinstance(part, str | int) for part in value):
        return value

    return Unknown()


def slice_value(sequence: Any, bounds: list[Any], budget: Budget) -> Any:
    """Return a part of a string or a list, `bounds` being its begin, end and step."""
    if not isinstance(sequence, str | list | tuple):
        raise Unsupported
    if not all(bound is None or isinstance(bound, int) for bound in bounds):
        raise Unsupported

    budget.spend(1 + len(sequence))
    # a step of zero has no meaning
    if bounds[2] == 0:
        return Unknown()

    return sequence[slice(*bounds)]


def compare_values(
    operator: ast.cmpop, left_value: Any, right_value: Any, budget: Budget
) -> Any:
    """Return the result of a comparison. Raises `Unsupported` where it has no meaning."""
    if isinstance(operator, ast.In | ast.NotIn):
        return _contains(right_value, left_value, budget) is isinstance(
            operator, ast.In
        )

    if isinstance(operator, ast.Eq | ast.NotEq):
        return _are_equal(left_value, right_value, budget) is isinstance(
            operator, ast.Eq
        )

    if type(left_value) is not type(right_value) or not isinstance(
        left_value, str | int
    ):
        raise Unsupported

    if not isinstance(operator, _ORDERING_OPERATORS):
        raise Unsupported
    if left_value == right_value:
        return isinstance(operator, ast.LtE | ast.GtE)

    return (left_value < right_value) is isinstance(operator, ast.Lt | ast.LtE)


def _are_equal(left_value: Any, right_value: Any, budget: Budget) -> bool:
    """Compare scalars and flat lists: nested ones that share their parts would take for ever."""
    if isinstance(left_value, list) and isinstance(right_value, list):
        budget.spend(1 + len(left_value) + len(right_value))
        if not all(
            isinstance(item, str | int | None) for item in (*left_value, *right_value)
        ):
            raise Unsupported

        return bool(left_value == right_value)

    if isinstance(left_value, _CONTAINERS) or isinstance(right_value, _CONTAINERS):
        # of others only empty ones are known to be equal
        if type(left_value) is not type(right_value):
            return False

        return len(left_value) == len(right_value) == 0

    return bool(left_value == right_value)


def _contains(container: Any, value: Any, budget: Budget) -> bool:
    if not isinstance(container, str | list | tuple | dict):
        raise Unsupported
    if isinstance(container, str) and not isinstance(value, str):
        raise Unsupported

    budget.spend(1 + len(container) // _CHARS_A_STEP)

    if isinstance(container, str):
        return value in container

    if not isinstance(value, str | int):
        return False

    for item in container:
        # to compare nested lists could take for ever
        if isinstance(item, str | int) and item == value:
            return True

    return False
