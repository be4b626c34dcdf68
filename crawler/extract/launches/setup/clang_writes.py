"""Which variables a statement changes, by libclang's syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clang import cindex
from clang.cindex import CursorKind, TypeKind

from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import (
    NodeBudget,
    collect_descendants,
    list_child_cursors,
)

_ACTION_KINDS: Final = frozenset(
    kind.value
    for kind in (
        CursorKind.BINARY_OPERATOR,
        CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
        CursorKind.UNARY_OPERATOR,
        CursorKind.CALL_EXPR,
    )
)
_REFERENCE_KINDS: Final = frozenset({CursorKind.DECL_REF_EXPR.value})
# `enum CXBinaryOperatorKind` and `enum CXUnaryOperatorKind` of libclang
_ASSIGN: Final = 22
_STEPPING_UNARY: Final = frozenset({1, 2, 3, 4})
"""`x++`, `x--`, `++x` and `--x`."""
_ADDRESS_OF: Final = 5
# a function's name, as libclang spells it
_ASSIGNING_OPERATOR: Final = re.compile(
    r"operator(?:[-+*/%&|^]|<<|>>)?=|operator(?:\+\+|--)"
)
_MAX_NODES: Final = 20_000
"""Nodes of one statement."""
_MAX_DEPTH: Final = 40


def find_written_names(statement: Cursor) -> frozenset[str]:
    """Return the names of variables that a statement may change.

    These are assigned to, stepped, handed on by address or by a reference to what is not const,
    or have a member called that is not const.
    """
    actions = [statement] if statement._kind_id in _ACTION_KINDS else []
    actions += collect_descendants(statement, _ACTION_KINDS, NodeBudget(_MAX_NODES))
    return frozenset(name for action in actions for name in _find_written(action))


def find_overwritten_names(statement: Cursor) -> frozenset[str]:
    """Return the name of the variable that a statement assigns to as a whole, if it does."""
    statement = _strip_wrappers(statement)
    is_assignment = (
        statement.kind is CursorKind.BINARY_OPERATOR
        and _get_binary_operator(statement) == _ASSIGN
    ) or (statement.kind is CursorKind.CALL_EXPR and statement.spelling == "operator=")
    operands = list_child_cursors(statement) if is_assignment else []
    if not operands:
        return frozenset()

    target = _strip_wrappers(operands[0])
    if target.kind is not CursorKind.DECL_REF_EXPR:
        return frozenset()

    # `x = x + 1` needs what `x` was
    used_names = {
        reference.spelling
        for operand in operands[1:]
        for reference in (
            operand,
            *collect_descendants(operand, _REFERENCE_KINDS, NodeBudget(_MAX_NODES)),
        )
    }
    return frozenset({target.spelling} - used_names)


def _find_written(action: Cursor) -> Iterator[str]:
    kind = action.kind
    is_change = (
        kind is CursorKind.COMPOUND_ASSIGNMENT_OPERATOR
        or (
            kind is CursorKind.BINARY_OPERATOR
            and _get_binary_operator(action) == _ASSIGN
        )
        or (
            kind is CursorKind.UNARY_OPERATOR
            and _get_unary_operator(action) in _STEPPING_UNARY
        )
    )
    if is_change:
        yield from _find_base_name(action)
    elif kind is CursorKind.CALL_EXPR:
        yield from _find_names_changed_by_call(action)


def _find_names_changed_by_call(call: Cursor) -> Iterator[str]:
    if _ASSIGNING_OPERATOR.fullmatch(call.spelling):
        yield from _find_base_name(call)
        return

    arguments = list(call.get_arguments())
    for argument in arguments:
        if argument is not None and _is_address(argument):
            yield from _find_base_name(argument, is_itself=True)

    function = call.referenced
    if function is None:
        return

    if function.kind is CursorKind.CXX_METHOD and not function.is_const_method():
        member = next(iter(list_child_cursors(call)), None)
        # what an object's pointer points to is not the pointer
        if member is not None and member.kind is CursorKind.MEMBER_REF_EXPR:
            yield from _find_base_name(member, is_through_pointer=False)

    # what the headers at hand do not declare has no type of a function
    if function.type.kind is not TypeKind.FUNCTIONPROTO:
        return

    types = function.type.argument_types()
    for argument, parameter_type in zip(arguments, types, strict=False):
        pointee = parameter_type.get_pointee()
        is_reference = parameter_type.kind.name == "LVALUEREFERENCE"
        if argument is not None and is_reference and not pointee.is_const_qualified():
            yield from _find_base_name(argument, is_itself=True)


def _find_base_name(
    cursor: Cursor, *, is_itself: bool = False, is_through_pointer: bool = True
) -> Iterator[str]:
    """Yield `grid` of `grid.x`, `sizes[0]` and `(grid)`: of a cursor, or of its first operand."""
    current: Cursor | None = (
        cursor if is_itself else next(iter(list_child_cursors(cursor)), None)
    )
    for _ in range(_MAX_DEPTH):
        if current is None:
            return
        if current.kind is CursorKind.DECL_REF_EXPR:
            is_pointer = current.type.get_canonical().kind.name == "POINTER"
            if is_through_pointer or not is_pointer:
                yield current.spelling
            return

        children = list_child_cursors(current)
        # `member = 3` of the object that a method is called for
        if not children and current.kind is CursorKind.MEMBER_REF_EXPR:
            yield current.spelling
            return

        current = next(iter(children), None)


def _is_address(argument: Cursor) -> bool:
    """Tell whether an argument is `&x`, whatever casts are round it."""
    current: Cursor | None = argument
    for _ in range(_MAX_DEPTH):
        if current is None or current.kind is CursorKind.DECL_REF_EXPR:
            return False
        if current.kind is CursorKind.UNARY_OPERATOR:
            return _get_unary_operator(current) == _ADDRESS_OF
        # the type of a cast stands in front of what is cast
        current = next(reversed(list_child_cursors(current)), None)

    return False


def _strip_wrappers(cursor: Cursor) -> Cursor:
    for _ in range(_MAX_DEPTH):
        is_wrapper = cursor.kind in (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR)
        children = list_child_cursors(cursor) if is_wrapper else []
        if len(children) != 1:
            break
        cursor = children[0]

    return cursor


# the bindings of libclang 18 lack both, the library has them since 17
def _get_binary_operator(cursor: Cursor) -> int:
    return int(cindex.conf.lib.clang_getCursorBinaryOperatorKind(cursor))


def _get_unary_operator(cursor: Cursor) -> int:
    return int(cindex.conf.lib.clang_getCursorUnaryOperatorKind(cursor))
