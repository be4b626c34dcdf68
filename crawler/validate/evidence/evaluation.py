"""Evaluate expressions of host code; a name that nothing defines is a free variable."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression_tree import (
    Call,
    Expression,
    Name,
    Number,
    Operation,
)
from crawler.validate.evidence.expressions.tensor_factories import (
    find_listed_extents,
)
from crawler.validate.evidence.host_arithmetic import (
    OPERATIONS,
    VECTOR_CONSTRUCTORS,
    apply_function,
    apply_prefix,
    check_magnitude,
    is_known_function,
    to_vector,
)
from crawler.validate.evidence.host_types import (
    CASTS,
    CONSTANTS,
    has_known_size,
    size_of_type,
)

Value = int | float | tuple["int | float", ...]
_MAX_DEPTH: Final = 40
_UNKNOWN_SIZE: Final = 4
_AXES: Final = "xyzw"
_SHAPE_METHODS: Final = ("size", "numel", "dim", "shape")


def evaluate(
    expression: Expression | None, scope: EvaluationScope, aliases: tuple[str, ...] = ()
) -> Value | None:
    """Return the value of `expression`, which goes by `aliases`; `None` for what has none."""
    try:
        return _evaluate(expression, scope, aliases, 0)
    except (ArithmeticError, ValueError, RecursionError):
        return None


def to_number(value: Value | None) -> int | float | None:
    """Return a value as one number: of three, the first."""
    return value[0] if isinstance(value, tuple) else value


def _evaluate(
    tree: Expression | None,
    scope: EvaluationScope,
    aliases: tuple[str, ...],
    depth: int,
) -> Value | None:
    # definitions may lead in circles through several names
    if tree is None or depth > _MAX_DEPTH:
        return None
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Name):
        return _evaluate_name(tree.text, scope, aliases, depth)
    if isinstance(tree, Operation):
        return _evaluate_operation(tree, scope, aliases, depth)

    return _evaluate_call(tree, scope, aliases, depth)


def _evaluate_number(
    tree: Expression, scope: EvaluationScope, depth: int
) -> int | float | None:
    """Evaluate an operand or an argument, which goes by no name."""
    return to_number(_evaluate(tree, scope, (), depth + 1))


def _evaluate_numbers(
    trees: Iterable[Expression], scope: EvaluationScope, depth: int
) -> list[int | float | None]:
    return [_evaluate_number(tree, scope, depth) for tree in trees]


def _evaluate_name(
    text: str, scope: EvaluationScope, aliases: tuple[str, ...], depth: int
) -> Value | None:
    if text in scope.bound_values:
        return scope.bound_values[text]
    if text in CONSTANTS:
        return CONSTANTS[text]

    if text.startswith("sizeof("):
        type_name = text[len("sizeof(") : -1]
        if not has_known_size(type_name, scope.types):
            scope.has_unknown_size = True

        return size_of_type(type_name, scope.types)

    value: Value | None = None
    # a name may be defined by itself: `n = n * 2`
    if text in scope.definitions and text not in aliases:
        value = _evaluate_definition(text, scope, aliases, depth)

    if value is None:
        value = _evaluate_member(text, scope, aliases, depth)

    if value is None:
        value = scope.resolve_free(text, (text, *aliases))

    return value


def _evaluate_definition(
    name: str, scope: EvaluationScope, aliases: tuple[str, ...], depth: int
) -> Value | None:
    tree = scope.parse_text(scope.definitions[name])
    return _evaluate(tree, scope, (name, *aliases), depth + 1)


def _evaluate_member(
    text: str, scope: EvaluationScope, aliases: tuple[str, ...], depth: int
) -> Value | None:
    """Return what is known of a name by what it is a member of, by its own members, or without
    its namespace.
    """
    receiver, dot, member = text.rpartition(".")

    if dot and member in ("x", "y", "z", "w") and receiver in scope.definitions:
        vector = _evaluate_name(receiver, scope, aliases, depth + 1)
        if isinstance(vector, tuple):
            axis = _AXES.index(member)
            return vector[axis] if axis < len(vector) else 1

    if not dot and f"{text}.x" in scope.definitions:
        extents: list[int | float | None] = []
        for axis_name in "xyz":
            axis_text = f"{text}.{axis_name}"
            if axis_text in scope.definitions:
                extent = _evaluate_name(axis_text, scope, aliases, depth + 1)
                extents.append(to_number(extent))
            else:
                extents.append(1)

        return to_vector(extents)

    # `Traits::kThreads` where the source defines `kThreads`
    unqualified = text.rpartition("::")[2]
    if (
        unqualified != text
        and unqualified in scope.definitions
        and unqualified not in aliases
    ):
        return _evaluate_definition(unqualified, scope, aliases, depth)

    return None


def _evaluate_operation(
    tree: Operation, scope: EvaluationScope, aliases: tuple[str, ...], depth: int
) -> Value | None:
    first = _evaluate_number(tree.operands[0], scope, depth)
    if first is None:
        return None

    if tree.sign == "?":
        branch = tree.operands[1] if first else tree.operands[2]
        return _evaluate(branch, scope, aliases, depth + 1)

    if len(tree.operands) == 1:
        return apply_prefix(tree.sign, first)

    second = _evaluate_number(tree.operands[1], scope, depth)
    if second is None:
        return None

    if tree.sign == "/":
        scope.note_division(tree.operands[0], first, second)

    return check_magnitude(OPERATIONS[tree.sign](first, second))


def _evaluate_call(
    tree: Call, scope: EvaluationScope, aliases: tuple[str, ...], depth: int
) -> Value | None:
    function = tree.callee.rpartition("::")[2]
    if tree.receiver:
        return _evaluate_shape_call(tree, scope, aliases, depth)
    if function in VECTOR_CONSTRUCTORS:
        return to_vector(_evaluate_numbers(tree.arguments, scope, depth))

    if function in CASTS and len(tree.arguments) == 1:
        value = to_number(_evaluate(tree.arguments[0], scope, aliases, depth + 1))
        if value is None or function in ("float", "double"):
            return value
        return int(value)

    if function == "sizeof":
        return _UNKNOWN_SIZE

    result = _evaluate_function(function, tree, scope, depth)
    if result is None:
        result = scope.resolve_free(tree.text, (tree.text, *aliases))

    return result


def _evaluate_function(
    function: str, tree: Call, scope: EvaluationScope, depth: int
) -> int | float | None:
    if not tree.arguments or not is_known_function(function):
        return None

    values: list[int | float] = []

    for value in _evaluate_numbers(tree.arguments, scope, depth):
        if value is None:
            return None
        values.append(value)

    return apply_function(function, values, scope.block_threads)


def _evaluate_shape_call(
    tree: Call, scope: EvaluationScope, aliases: tuple[str, ...], depth: int
) -> Value | None:
    """Return a size of a tensor: as it was made in this text, else a free variable."""
    extent: int | None = None

    if tree.callee in _SHAPE_METHODS:
        shape = _find_shape(tree.receiver, scope, depth)
        if shape:
            extent = _select_extent(tree, shape, scope, depth)

    if extent is None and tree.callee == "numel":
        extent = _multiply_asked_axes(tree.receiver, scope)
    if extent is None:
        return scope.resolve_free(tree.text, (tree.text, *aliases))

    return extent


def _multiply_asked_axes(tensor: str, scope: EvaluationScope) -> int | None:
    """Return the elements of a tensor by the sizes that the host asks for, all others being 1;
    `None` where it asks for none.
    """
    axes = scope.asked_axes.get(tensor, ())
    if not axes:
        return None

    product = 1
    for axis in axes:
        text = f"{tensor}.size({axis})"
        names = scope.find_names(text)
        product *= int(scope.resolve_factor(text, (text, *names)))

    return product


def _select_extent(
    tree: Call, shape: list[int | float], scope: EvaluationScope, depth: int
) -> int | None:
    """Return what a method of a tensor says of its shape; `None` where it names no axis of it."""
    if tree.callee == "numel":
        return math.prod(int(extent) for extent in shape)
    if not tree.arguments:
        return None

    axis = _evaluate_number(tree.arguments[0], scope, depth)
    if not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        return None

    return int(shape[axis])


def _find_shape(
    receiver: str, scope: EvaluationScope, depth: int
) -> list[int | float] | None:
    """Return the shape that a tensor is made with in this text, e.g. by `at::zeros({n, 3})`."""
    if receiver not in scope.definitions:
        return None

    factory_call = scope.parse_text(scope.definitions[receiver])
    extents = find_listed_extents(factory_call)
    if extents is None:
        return None

    shape: list[int | float] = []

    for extent in _evaluate_numbers(extents, scope, depth + 1):
        if extent is None:
            return None
        shape.append(extent)

    return shape
